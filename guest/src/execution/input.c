#include "execution/input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "loop/loop.h"
#include "process/terminal.h"

static void free_waiting(struct input *input) {
    free(input->waiting.bytes);
    input->waiting = (struct ring){0};
}

void input_close(struct input *input) {
    stdin_passed_on(&input->window, (uint32_t)input->waiting.length);
    free_waiting(input);
    if (input->fd >= 0) loop_close(input->fd);
    input->fd = -1;
}

/* The pipe is full: the command has read nothing of what filled it first. */
static void found_full(struct input *input) {
    if (!input->was_full) input->edge.moved = 0;
    input->was_full = true;
    edge_wait(&input->edge, input->fd);
}

/* Answers how many bytes the pipe took; closes the input if no process reads it. */
static size_t give(struct input *input, const uint8_t *bytes, size_t length) {
    if (!edge_ready(&input->edge)) return 0;
    ssize_t n = write(input->fd, bytes, length);
    if (n < 0 && errno == EINTR) return 0;
    if (n < 0 && errno == EAGAIN) {
        found_full(input);
        return 0;
    }
    if (n < 0) {
        input_close(input);
        return 0;
    }
    stdin_passed_on(&input->window, (uint32_t)n);
    input->edge.moved += (uint64_t)n;
    return (size_t)n;
}

/* All that came before has been passed on. */
static void end(struct input *input) {
    if (!input->edge.terminal) {
        input_close(input);
    } else if (!input->typed_end && input->edge.ready) {
        input->typed_end = terminal_type_end(input->fd);
        input->edge.ready = input->typed_end;
    }
}

void input_pump(struct input *input) {
    while (input->fd >= 0 && edge_ready(&input->edge) && input->waiting.length > 0) {
        const uint8_t *bytes;
        size_t length = ring_peek(&input->waiting, &bytes);
        size_t n = give(input, bytes, length);
        if (input->fd >= 0) ring_drop(&input->waiting, n);
    }
    if (input->fd < 0 || input->waiting.length > 0) return;
    free_waiting(input);
    if (input->at_end) end(input);
}

static void keep(struct input *input, const uint8_t *bytes, size_t length) {
    if (input->waiting.bytes == NULL) {
        input->waiting = (struct ring){.bytes = malloc(STDIN_WINDOW), .capacity = STDIN_WINDOW};
        if (input->waiting.bytes == NULL) {
            /* A stdin with a hole would be wrong data, so it ends here. */
            input->waiting = (struct ring){0};
            input_close(input);
            stdin_passed_on(&input->window, (uint32_t)length);
            return;
        }
    }
    ring_put(&input->waiting, bytes, length);
}

void input_take(struct input *input, const uint8_t *bytes, uint32_t length) {
    uint32_t taken = stdin_take(&input->window, length);
    input->taken += taken;
    size_t given = 0;
    if (input->fd >= 0 && !input->at_end && input->waiting.length == 0) given = give(input, bytes, taken);
    if (input->fd < 0 || input->at_end) {
        stdin_passed_on(&input->window, taken - (uint32_t)given);
    } else if (given < taken) {
        keep(input, bytes + given, taken - given);
    }
}

void input_attach(struct input *input) {
    input->window = (struct stdin_window){.granted = STDIN_WINDOW - (uint32_t)input->waiting.length};
}

void input_end(struct input *input) {
    input->at_end = true;
    input_pump(input);
}
