#include "files/record_stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/temp_cleanup.h"

static const char *request_path = "";

static uint8_t output[2 * (DATA_HEADER + PIECE)];
static size_t output_length;

static uint8_t input[2 * RECORD_MAX];
static size_t input_start, input_end;

void stream_begin(const char *path) { request_path = path; }

/* If the host reads the stream no more, there is no caller to be told of it. */
static void write_out(const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            temp_cleanup_remove();
            _exit(1);
        }
        bytes += n;
        length -= (size_t)n;
    }
}

void stream_flush(void) {
    write_out(output, output_length);
    output_length = 0;
}

static uint8_t *room(size_t length) {
    if (sizeof output - output_length < length) stream_flush();
    return output + output_length;
}

void stream_entry(const struct entry *entry) {
    uint8_t *out = room(ENTRY_RECORD_MAX);
    output_length += entry_encode(out, entry);
}

uint8_t *stream_room(void) { return room(DATA_HEADER + PIECE) + DATA_HEADER; }

void stream_data(uint64_t offset, size_t length) {
    output_length += data_encode(output + output_length, offset, length) + length;
}

void stream_done(void) {
    uint8_t *out = room(RECORD_HEADER);
    output_length += done_encode(out);
    stream_flush();
    _exit(0);
}

static struct text text(const char *value) {
    return (struct text){.bytes = (char *)(uintptr_t)value, .length = (uint32_t)strlen(value)};
}

void stream_ready(void) {
    uint8_t *out = room(RECORD_HEADER);
    output_length += ready_encode(out);
}

void stream_event(enum event event, const char *name, const struct entry *entry) {
    uint8_t *out = room(EVENT_RECORD_MAX);
    output_length += event_encode(out, event, entry != NULL, text(name));
    if (entry != NULL) stream_entry(entry);
}

void stream_overflow(void) {
    uint8_t *out = room(RECORD_HEADER);
    output_length += overflow_encode(out);
}

void stream_attribute(const char *name, struct text value) {
    uint8_t *out = room(RECORD_MAX);
    output_length += attribute_encode(out, text(name), value);
}

void stream_removed(const char *name) {
    uint8_t *out = room(REMOVED_RECORD_MAX);
    output_length += removed_encode(out, text(name));
}

void stream_opaque(void) {
    uint8_t *out = room(RECORD_HEADER);
    output_length += opaque_encode(out);
}

void stream_details(const char *owner, const char *group, const char *real_path) {
    struct details details = {.owner = text(owner), .group = text(group), .real_path = text(real_path)};
    uint8_t *out = room(DETAILS_RECORD_MAX);
    output_length += details_encode(out, &details);
}

void stream_failed(int error, const char *name, const char *what) {
    char path[FAILED_PATH_MAX + 1], sentence[FAILED_SENTENCE_MAX + 1];
    temp_cleanup_remove();
    snprintf(path, sizeof path, "%s%s%s", request_path, *name == '\0' ? "" : "/", name);
    snprintf(sentence, sizeof sentence, "%s: %s.", what, strerror(error));
    uint8_t *out = room(FAILED_RECORD_MAX);
    output_length += failed_encode(out, error, text(path), text(sentence));
    stream_flush();
    _exit(1);
}

/* Keeps what is not understood yet and reads on behind it. */
static void read_more(void) {
    memmove(input, input + input_start, input_end - input_start);
    input_end -= input_start;
    input_start = 0;
    ssize_t n;
    do {
        n = read(STDIN_FILENO, input + input_end, sizeof input - input_end);
    } while (n < 0 && errno == EINTR);
    if (n < 0) stream_failed(errno, "", "The records of the host cannot be read");
    if (n == 0) stream_failed(ECANCELED, "", "The host has stopped in the middle");
    input_end += (size_t)n;
}

void stream_next(struct record *record) {
    for (;;) {
        size_t taken;
        switch (record_decode(input + input_start, input_end - input_start, record, &taken)) {
            case RECORD_INCOMPLETE: read_more(); continue;
            case RECORD_BAD: stream_failed(record->error, "", record->sentence);
            case RECORD_WHOLE: break;
        }
        input_start += taken;
        if (record->type == RECORD_FAILED) stream_failed(ECANCELED, "", "The host has given up");
        return;
    }
}
