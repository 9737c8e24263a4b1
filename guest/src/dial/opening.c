#include "dial/opening.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "dial/connect.h"
#include "loop/loop.h"
#include "sys/clock.h"
#include "wire/frame.h"

enum {
    ATTEMPT_MS = 5000, /* for a port that listens and takes no connection, because its queue is full */
    FIRST_PAUSE_MS = 5,
    LONGEST_PAUSE_MS = 100,
};

static void watch(struct connection *c) { loop_watch(c->fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP, DIALED, c->id); }

bool opening_begin(struct connection *c, const struct dial_request *dial) {
    if (dial->path != NULL) {
        if (!open_path_begin(dial->path, dial->user, dial->patience, &c->path)) return false;
        loop_watch(c->path.channel, EPOLLIN, DIALED, c->id);
        return true;
    }
    c->tcp_port = dial->port;
    c->as_loopback = (dial->flags & DIAL_AS_LOOPBACK) != 0;
    c->patient_until = now_ms() + dial->patience;
    return true;
}

static void fail(struct connection *c, enum failure code, const char *what) {
    c->failure.code = code;
    snprintf(c->failure.sentence, sizeof c->failure.sentence, "%s: %s.", what, strerror(c->error));
}

/* The first that has something to say decides what is said: where nothing listens on 127.0.0.1, that there is no ::1 is no news. */
static void next_candidate(struct connection *c, int error) {
    if (c->candidate == 0 || c->error == 0) c->error = error;
    if (error == EPERM) {
        fail(c, INTERNAL, "The agent cannot have the address that it connects from");
        return;
    }
    if (++c->candidate < CANDIDATES) return;
    c->candidate = 0;
    if (now_ms() >= c->patient_until) fail(c, CONNECTION_REFUSED, "The port cannot be connected to");
    c->pause = c->pause == 0 ? FIRST_PAUSE_MS : c->pause * 2 < LONGEST_PAUSE_MS ? c->pause * 2 : LONGEST_PAUSE_MS;
    c->retry_at = now_ms() + c->pause;
}

static void end_attempt(struct connection *c) {
    int error = ETIMEDOUT;
    if (!connect_ended(c->fd, &error) && now_ms() < c->attempt_ends) return;
    c->attempt_ends = 0;
    if (error == 0) return;
    loop_close(c->fd);
    c->fd = -1;
    next_candidate(c, error);
}

static void try_ports(struct connection *c) {
    while (c->fd < 0 && c->failure.code == 0 && c->retry_at <= now_ms()) {
        bool connected = false;
        c->fd = connect_begin(c->tcp_port, c->candidate, c->as_loopback, &connected);
        if (c->fd < 0) {
            next_candidate(c, errno);
            continue;
        }
        watch(c);
        if (!connected) c->attempt_ends = now_ms() + ATTEMPT_MS;
    }
}

void opening_pump(struct connection *c) {
    if (c->failure.code != 0) return;
    if (c->tcp_port != 0) {
        if (c->attempt_ends != 0) end_attempt(c);
        try_ports(c);
    } else if (c->path.channel >= 0 && open_path_ended(c->path.channel, &c->fd, &c->failure)) {
        loop_close(c->path.channel);
        c->path.channel = -1;
        if (c->fd >= 0) watch(c);
    }
}

bool opening_has_ended(const struct connection *c) {
    return c->failure.code != 0 || (c->fd >= 0 && c->attempt_ends == 0);
}

int64_t opening_deadline(const struct connection *c) {
    if (c->open || c->tcp_port == 0 || c->failure.code != 0) return INT64_MAX;
    return c->fd < 0 ? c->retry_at : c->attempt_ends != 0 ? c->attempt_ends : INT64_MAX;
}
