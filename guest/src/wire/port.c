#include "wire/port.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop/loop.h"
#include "memory/ring.h"
#include "sys/clock.h"
#include "wire/bytes.h"

enum {
    QUEUE = 128 * 1024,
    INPUT_BUFFER = 16 * 1024,
    CONTROL_ROOM = 2 * 1024, /* the largest answer but LISTING, which fits itself in, is FAILED with a sentence of 1 KiB */
    READS_A_ROUND = 16,      /* of 4 KiB at most each: the driver's buffers are pages */
    HANG_UP_MS = 1000,
};

struct port {
    int fd;
    bool open;
    uint32_t connection;
    bool connected; /* a RESET came, and no hang-up since */
    bool readable;
    bool writable;
    bool news; /* room has come, or the host has gone: a request or an execution may have waited for it */
    int64_t hang_up_at; /* INT64_MAX: no hang-up is suspected */
    uint8_t input[INPUT_BUFFER];
    size_t input_start;
    size_t input_end;
    struct frame_parser parser;
    bool frame_waits; /* the parser holds a frame that is not handled yet */
    struct message message;
    struct ring queue;
    uint8_t queue_bytes[QUEUE];
};

static struct port ports[PORTS];
static const struct port_callbacks *callbacks;

void ports_open(const struct port_callbacks *wanted) { callbacks = wanted; }

bool port_is_open(unsigned index) { return ports[index].open; }

uint32_t port_connection(int port) { return ports[port].connection; }

/* Non-blocking is vital: a blocking write to a port spins inside the kernel, interrupts off, until the host has taken
 * the bytes (__send_to_port in drivers/char/virtio_console.c). */
void port_open(unsigned index, int fd) {
    struct port *port = &ports[index];
    port->fd = fd;
    port->open = true;
    port->queue = (struct ring){.bytes = port->queue_bytes, .capacity = QUEUE};
    port->hang_up_at = INT64_MAX;
    port->readable = port->writable = true;
    loop_watch(port->fd, EPOLLIN | EPOLLOUT, PORT, index);
}

void port_event(unsigned index) { ports[index].readable = ports[index].writable = true; }

bool port_has_room(int port) { return ring_room(&ports[port].queue) >= CONTROL_ROOM; }

size_t port_payload_room(int port) {
    size_t room = ring_room(&ports[port].queue) - FRAME_HEADER - FRAME_SEAL;
    return room < FRAME_PAYLOAD_MAX ? room : FRAME_PAYLOAD_MAX;
}

void port_send(int index, const struct frame *frame, const uint8_t *prefix, size_t prefix_length) {
    struct port *port = &ports[index];
    struct frame whole = *frame;
    whole.length += (uint32_t)prefix_length;
    uint8_t header[FRAME_HEADER], seal[FRAME_SEAL];
    put32(seal, frame_header(header, &whole));
    ring_put(&port->queue, header, sizeof header);
    ring_put(&port->queue, prefix, prefix_length);
    ring_put(&port->queue, frame->payload, frame->length);
    ring_put(&port->queue, seal, sizeof seal);
}

void port_done(int port, uint32_t request) {
    port_send(port, &(struct frame){.type = DONE, .request = request}, NULL, 0);
}

void port_failed(int port, uint32_t request, int code, const char *sentence) {
    uint8_t prefix[8];
    size_t length = strnlen(sentence, 1024);
    put32(prefix, (uint32_t)code);
    put32(prefix + 4, (uint32_t)length);
    struct frame frame = {
        .type = FAILED, .request = request, .length = (uint32_t)length, .payload = (uint8_t *)(uintptr_t)sentence};
    port_send(port, &frame, prefix, sizeof prefix);
}

static void forget_host(struct port *port) {
    port->connection++;
    port->news = true;
    ring_drop(&port->queue, port->queue.length);
    message_drop(&port->message);
    callbacks->disconnected((int)(port - ports));
}

static void reset(struct port *port, const struct frame *frame) {
    forget_host(port);
    port->connected = true;
    port->hang_up_at = INT64_MAX;
    port_send((int)(port - ports), &(struct frame){.type = RESET_ACK, .length = 8, .payload = frame->payload}, NULL, 0);
    callbacks->connected((int)(port - ports));
}

/* Handles the frame that the parser holds; false if its answer would not fit yet. */
static bool handle_frame(struct port *port) {
    if (!port_has_room((int)(port - ports))) return false;
    const struct frame *frame = &port->parser.frame;
    if (port->connected && callbacks->waits(frame)) return false;
    port->frame_waits = false;
    if (frame->type == RESET && frame->stream == 0 && frame->request == 0 && frame->length == 8 && frame->flags == 0) {
        reset(port, frame);
    } else if (port->connected) {
        callbacks->handle((int)(port - ports), &port->message, frame);
    }
    return true;
}

/* Parses what was read; false if it has to stop before the end. */
static bool parse(struct port *port) {
    while (port->frame_waits || port->input_start < port->input_end) {
        if (!port->frame_waits) {
            port->input_start += frame_parse(&port->parser, port->input + port->input_start,
                                             port->input_end - port->input_start, &port->frame_waits);
        }
        if (port->frame_waits && !handle_frame(port)) return false;
    }
    return true;
}

/* A read of 0 bytes says that no host is connected and nothing is left to read (port_fops_read). That is also so for
 * a moment after a host has connected and sent its first bytes, because the kernel learns of the connection on
 * another queue, by a work item. So it only raises a suspicion, which a RESET or a look a second later clears. */
static void suspect_hang_up(struct port *port) {
    if (port->connected && port->hang_up_at == INT64_MAX) port->hang_up_at = now_ms() + HANG_UP_MS;
}

static void check_hang_up(struct port *port) {
    if (port->hang_up_at == INT64_MAX || port->hang_up_at > now_ms()) return;
    port->hang_up_at = INT64_MAX;
    struct pollfd now = {.fd = port->fd, .events = POLLIN};
    if (poll(&now, 1, 0) < 0 || (now.revents & POLLHUP) == 0) return;
    port->connected = false;
    port->frame_waits = false;
    forget_host(port);
}

/* The host has unplugged the port: every use of its descriptor fails with ENODEV from then on. It may come again. */
static void let_go(struct port *port) {
    port->connected = port->readable = port->writable = port->open = port->frame_waits = false;
    forget_host(port);
    loop_close(port->fd);
    port->fd = -1;
    port->hang_up_at = INT64_MAX;
    port->input_start = port->input_end = 0;
    port->parser.header_length = port->parser.body_length = 0;
}

/* Much of a body is read to where it belongs, and so copied once less. */
static ssize_t take(struct port *port) {
    struct frame_parser *parser = &port->parser;
    size_t missing = frame_body_missing(parser);
    bool direct = missing >= sizeof port->input;
    uint8_t *bytes = direct ? frame_body(parser) : port->input;
    ssize_t n = read(port->fd, bytes, direct ? missing : sizeof port->input);
    port->input_start = port->input_end = 0;
    if (n > 0 && direct) frame_parse(parser, bytes, (size_t)n, &port->frame_waits);
    if (n > 0 && !direct) port->input_end = (size_t)n;
    return n;
}

/* One round, so that eight busy ports take turns; answers whether it read anything, because then executions may have
 * something to do, and another round as well. */
static bool read_some(struct port *port) {
    for (int i = 0; i < READS_A_ROUND; i++) {
        if (!parse(port) || !port->readable) return i > 0;
        ssize_t n = take(port);
        if (n <= 0) {
            port->readable = n < 0 && errno == EINTR;
            if (n == 0) suspect_hang_up(port);
            if (n < 0 && errno == ENODEV) let_go(port);
            return i > 0;
        }
    }
    parse(port);
    return true;
}

static void write_some(struct port *port) {
    while (port->writable && port->queue.length > 0) {
        const uint8_t *bytes;
        size_t length = ring_peek(&port->queue, &bytes);
        ssize_t n = write(port->fd, bytes, length);
        if (n > 0) {
            ring_drop(&port->queue, (size_t)n);
            port->news = true;
        } else {
            port->writable = n < 0 && errno == EINTR;
        }
    }
}

/* Written at once, because no event may ever come that has the loop do it. */
void ports_ready(void) {
    for (int i = 0; i < PORTS; i++) {
        if (!ports[i].connected || !port_has_room(i)) continue;
        callbacks->connected(i);
        write_some(&ports[i]);
    }
}

bool port_takes_data(int index) {
    struct port *port = &ports[index];
    if (port->queue.length > 0) write_some(port);
    return port->writable && port->queue.length == 0;
}

bool port_send_data(int index, uint16_t type, uint32_t stream, uint64_t offset, const struct iovec *slices, int count) {
    struct port *port = &ports[index];
    uint8_t prefix[8];
    size_t length;
    put64(prefix, offset);
    const uint8_t *bytes = frame_out_make(type, stream, prefix, sizeof prefix, slices, count, &length);
    ssize_t n = write(port->fd, bytes, length);
    if (n < 0) {
        port->writable = errno == EINTR;
        return false;
    }
    ring_put(&port->queue, bytes + n, length - (size_t)n);
    return true;
}

bool ports_pump(void) {
    bool more = false;
    for (int i = 0; i < PORTS; i++) {
        struct port *port = &ports[i];
        if (!port_is_open((unsigned)i)) continue;
        check_hang_up(port);
        more |= read_some(port);
        if (port->open) write_some(port);
        more |= port->news;
        port->news = false;
    }
    return more;
}

int64_t ports_deadline(void) {
    int64_t first = INT64_MAX;
    for (int i = 0; i < PORTS; i++) {
        if (port_is_open((unsigned)i) && ports[i].hang_up_at < first) first = ports[i].hang_up_at;
    }
    return first;
}

static bool flushed(void) {
    bool all = true;
    for (int i = 0; i < PORTS; i++) {
        if (!ports[i].connected) continue;
        write_some(&ports[i]);
        all &= ports[i].queue.length == 0;
    }
    return all;
}

void ports_farewell(const struct frame *frame, int milliseconds) {
    struct pollfd waiting[PORTS];
    for (int i = 0; i < PORTS; i++) {
        if (ports[i].connected && port_has_room(i)) port_send(i, frame, NULL, 0);
    }
    int64_t deadline = now_ms() + milliseconds;
    while (!flushed() && now_ms() < deadline) {
        for (int i = 0; i < PORTS; i++) {
            bool pending = ports[i].connected && ports[i].queue.length > 0;
            waiting[i] = (struct pollfd){.fd = pending ? ports[i].fd : -1, .events = POLLOUT};
        }
        poll(waiting, PORTS, (int)(deadline - now_ms()));
        for (int i = 0; i < PORTS; i++) {
            if ((waiting[i].revents & POLLHUP) != 0) ports[i].connected = false;
            ports[i].writable = true;
        }
    }
}
