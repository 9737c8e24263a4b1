#include "execution/output.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "loop/loop.h"
#include "wire/port.h"

enum { FIRST_MEMORY = 4096, GROWTH = 4, READ_MAX = 64 * 1024, TERMINAL_REST = 64 * 1024 };

void output_close(struct output *output) {
    if (output->fd >= 0) loop_close(output->fd);
    output->fd = -1;
}

/* A terminal tells nothing of how much is in it; its buffers hold some 12 KiB (pty_common_install in
 * drivers/tty/pty.c), so within TERMINAL_REST it is empty once. */
void output_drain(struct output *output) {
    int length = 0;
    if (output->fd < 0) return;
    if (output->edge.terminal) {
        length = TERMINAL_REST;
    } else if (ioctl(output->fd, FIONREAD, &length) != 0 || length < 0) {
        length = 0;
    }
    output->remaining = (uint32_t)length;
    output->draining = output->edge.ready = true;
}

static uint32_t unused(const struct output *output) {
    return output->store.capacity - (uint32_t)(output->window.end - output->window.start);
}

/* More memory where it is full, or the last read could have brought more. Without budget or memory the executions that
 * are merely kept go first; then the window stays as it is. */
static void grow(struct output *output, bool (*forget)(void)) {
    struct store *store = &output->store;
    if (store->capacity == output->limit || (unused(output) > 0 && !output->grow)) return;
    uint32_t wanted = store->capacity == 0 ? FIRST_MEMORY : store->capacity * GROWTH;
    if (wanted > output->limit) wanted = output->limit;
    while (!store_resize(store, wanted, output->window.start, output->window.end)) {
        if (!forget()) return;
    }
}

bool output_fill(struct output *output, bool (*forget)(void)) {
    if (output->fd < 0) return false;
    if (output->draining && output->remaining == 0) {
        output_close(output);
        return true;
    }
    if (!edge_ready(&output->edge)) return false;
    grow(output, forget);
    /* Nothing is overwritten as long as there is memory to be had. */
    uint32_t room = window_room(&output->window, output->store.capacity);
    if (output->store.capacity < output->limit && unused(output) > 0) room = unused(output);
    uint32_t wanted = room < READ_MAX ? room : READ_MAX;
    if (output->draining && output->remaining < wanted) wanted = output->remaining;
    if (wanted == 0) return false;
    struct iovec slices[2];
    int count = store_slices(&output->store, output->window.end, wanted, slices);
    ssize_t n = readv(output->fd, slices, count);
    if (n < 0 && errno == EINTR) return true;
    /* A terminal says EIO while no process has it open, which may change. */
    if (n < 0 && (errno == EAGAIN || errno == EIO) && !output->draining) {
        edge_wait(&output->edge, output->fd);
        return false;
    }
    if (n <= 0) { /* the end, or a descendant has taken back what was left in the pipe */
        output_close(output);
        return true;
    }
    output->grow = (uint32_t)n == room;
    output->edge.moved += (uint64_t)n;
    window_come(&output->window, output->store.capacity, (uint32_t)n);
    if (output->draining) output->remaining -= (uint32_t)n;
    return true;
}

bool output_send(struct output *output, int port, uint16_t type, uint32_t stream) {
    struct window *window = &output->window;
    uint64_t waiting = window->end - window->sent;
    uint32_t length = waiting < FRAME_OUT_MAX ? (uint32_t)waiting : FRAME_OUT_MAX;
    if (output->credit < length) length = output->credit;
    if (length == 0 || !port_takes_data(port)) return false;
    struct iovec slices[2];
    int count = store_slices(&output->store, window->sent, length, slices);
    if (!port_send_data(port, type, stream, window->sent, slices, count)) return false;
    output->credit -= length;
    window->sent += length;
    return true;
}

bool output_is_delivered(const struct output *output) {
    const struct window *window = &output->window;
    return output->fd < 0 && (!window->attached || window->sent == window->end) &&
           (!window->logging || window->logged == window->end);
}

void output_trim(struct output *output) {
    struct window *window = &output->window;
    if (output->fd >= 0) return;
    window_forget_acknowledged(window);
    uint32_t kept = (uint32_t)(window->end - window->start);
    if (kept < output->store.capacity) store_resize(&output->store, kept, window->start, window->end);
}

void output_free(struct output *output) {
    output_close(output);
    store_resize(&output->store, 0, 0, 0);
}
