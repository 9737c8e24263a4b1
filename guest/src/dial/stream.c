#include "dial/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "wire/frame.h"
#include "wire/port.h"

static void free_waiting(struct connection *c) {
    free(c->waiting.bytes);
    c->waiting = (struct ring){0};
}

static void break_off(struct connection *c) {
    c->broken = true;
    stdin_passed_on(&c->window, (uint32_t)c->waiting.length);
    free_waiting(c);
}

/* Answers how many bytes the socket took. Another process may share the socket and make it blocking, so each call says that
 * it must not block. */
static size_t give(struct connection *c, const uint8_t *bytes, size_t length) {
    if (!c->writable) return 0;
    ssize_t n = send(c->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) return 0;
    if (n < 0 && errno == EAGAIN) {
        c->writable = false;
        return 0;
    }
    if (n < 0) {
        break_off(c);
        return 0;
    }
    stdin_passed_on(&c->window, (uint32_t)n);
    return (size_t)n;
}

static void keep(struct connection *c, const uint8_t *bytes, size_t length) {
    if (c->waiting.bytes == NULL) {
        c->waiting = (struct ring){.bytes = malloc(CONNECTION_WINDOW), .capacity = CONNECTION_WINDOW};
        if (c->waiting.bytes == NULL) {
            /* A stream with a hole would be wrong data. */
            stdin_passed_on(&c->window, (uint32_t)length);
            break_off(c);
            return;
        }
    }
    ring_put(&c->waiting, bytes, length);
}

void stream_take(struct connection *c, const uint8_t *bytes, uint32_t length) {
    uint32_t taken = stdin_take(&c->window, length);
    size_t given = 0;
    if (!c->broken && !c->host_ended && c->waiting.length == 0) given = give(c, bytes, taken);
    if (c->broken || c->host_ended) {
        stdin_passed_on(&c->window, taken - (uint32_t)given);
    } else if (given < taken) {
        keep(c, bytes + given, taken - given);
    }
}

void stream_write(struct connection *c) {
    while (!c->broken && c->writable && c->waiting.length > 0) {
        const uint8_t *bytes;
        size_t length = ring_peek(&c->waiting, &bytes);
        size_t n = give(c, bytes, length);
        if (!c->broken) ring_drop(&c->waiting, n);
    }
    if (c->broken || c->waiting.length > 0) return;
    free_waiting(c);
    if (!c->host_ended || c->shut) return;
    c->shut = true;
    shutdown(c->fd, SHUT_WR);
}

static bool send_piece(struct connection *c, uint8_t *bytes, uint32_t length) {
    struct iovec slice = {.iov_base = bytes, .iov_len = length};
    if (!port_send_data(c->port, STDOUT, c->id, c->sent, &slice, 1)) return false;
    c->credit -= length;
    c->sent += length;
    return true;
}

static void hold(struct connection *c, const uint8_t *bytes, uint32_t length) {
    c->held = malloc(length);
    if (c->held == NULL) {
        break_off(c);
        c->guest_ended = true;
        return;
    }
    memcpy(c->held, bytes, length);
    c->held_length = length;
}

static bool send_held(struct connection *c) {
    if (!port_takes_data(c->port) || !send_piece(c, c->held, c->held_length)) return false;
    free(c->held);
    c->held = NULL;
    return true;
}

bool stream_read(struct connection *c) {
    static uint8_t piece[CONNECTION_PIECE];
    if (c->held != NULL) return send_held(c);
    uint32_t wanted = c->credit < sizeof piece ? c->credit : sizeof piece;
    if (wanted == 0 || c->guest_ended || !c->readable || !port_takes_data(c->port)) return false;
    ssize_t n = recv(c->fd, piece, wanted, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) return true;
    if (n < 0 && errno == EAGAIN) {
        c->readable = false;
        return false;
    }
    if (n < 0) break_off(c);
    if (n <= 0) {
        c->guest_ended = true;
        return true;
    }
    if (!send_piece(c, piece, (uint32_t)n)) hold(c, piece, (uint32_t)n);
    return c->held == NULL;
}

uint32_t stream_grant(struct connection *c) {
    bool due = c->window.owed >= CONNECTION_WINDOW / 4 || (c->window.granted == 0 && c->window.owed > 0);
    return due && !c->host_ended ? stdin_grant(&c->window) : 0;
}
