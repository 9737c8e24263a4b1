/* How the hostile agent says anything. */
#include "conversation.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "loop/loop.h"
#include "wire/bytes.h"

struct conversation conversations[PORTS];

/* Gives up when the host is gone. */
void raw(struct conversation *c, const void *bytes, size_t length) {
    for (const uint8_t *p = bytes; length > 0;) {
        ssize_t n = write(c->fd, p, length);
        if (n > 0) {
            p += n;
            length -= (size_t)n;
            continue;
        }
        struct pollfd room = {.fd = c->fd, .events = POLLOUT};
        if (poll(&room, 1, 1000) < 0 || (room.revents & POLLHUP) != 0) return;
    }
}

void send_as(struct conversation *c, uint16_t type, uint16_t flags, uint32_t stream, uint32_t request,
                    const void *payload, size_t length) {
    static uint8_t bytes[FRAME_HEADER + FRAME_PAYLOAD_MAX + FRAME_SEAL];
    struct frame frame = {.type = type, .flags = flags, .stream = stream, .request = request, .length = (uint32_t)length};
    uint32_t seal = frame_header(bytes, &frame);
    if (length > 0) memcpy(bytes + FRAME_HEADER, payload, length);
    put32(bytes + FRAME_HEADER + length, seal);
    raw(c, bytes, FRAME_HEADER + length + FRAME_SEAL);
}

void say(struct conversation *c, uint16_t type, uint32_t stream, uint32_t request, const void *payload, size_t length) {
    send_as(c, type, 0, stream, request, payload, length);
}

/* For hello.c. */
void port_send(int port, const struct frame *frame, const uint8_t *prefix, size_t prefix_length) {
    (void)prefix, (void)prefix_length;
    say(&conversations[port], frame->type, frame->stream, frame->request, frame->payload, frame->length);
}

/* For modules.c. */
void loop_once(int wait) { (void)wait; }

void numbers(struct conversation *c, uint16_t type, uint32_t stream, uint32_t request, int count, const uint64_t *values) {
    uint8_t payload[64];
    for (int i = 0; i < count; i++) put32(payload + 4 * i, (uint32_t)values[i]);
    say(c, type, stream, request, payload, 4 * (size_t)count);
}

void started_as(struct conversation *c, uint32_t stream, uint32_t credit) {
    numbers(c, STARTED, stream, c->request, 2, (uint64_t[]){4711, credit});
}

void started(struct conversation *c) { started_as(c, c->stream, 65536); }

void output_at(struct conversation *c, uint16_t type, uint32_t stream, uint64_t offset, const void *bytes, size_t length) {
    static uint8_t payload[FRAME_PAYLOAD_MAX];
    put64(payload, offset);
    memcpy(payload + 8, bytes, length);
    say(c, type, stream, 0, payload, 8 + length);
}

void output(struct conversation *c, const void *bytes, size_t length) {
    output_at(c, STDOUT, c->stream, c->offset, bytes, length);
    c->offset += length;
}

void exited(struct conversation *c) { numbers(c, EXITED, c->stream, 0, 2, (uint64_t[]){0, 0}); }

const uint8_t FILL[32 * 1024] = "yes, for ever";

void allowed_output(struct conversation *c) {
    size_t length = c->credit < sizeof FILL ? (size_t)c->credit : sizeof FILL;
    c->credit -= length;
    if (length > 0) output(c, FILL, length);
}
