#include "loop/edge_state.h"

#include <fcntl.h>

#include "sys/clock.h"

void edge_begin(const struct edge_state *edge, int fd) {
    if (fd >= 0) loop_watch(fd, edge->events, edge->source, edge->execution);
}

bool edge_ready(struct edge_state *edge) {
    if (!edge->ready && edge->backs_off_until != 0) edge->ready = edge->backs_off_until <= now_ms();
    return edge->ready;
}

static void back_off_until(struct edge_state *edge, int fd, int64_t until) {
    bool backs_off = until != 0;
    if (backs_off != (edge->backs_off_until != 0)) {
        loop_rewatch(fd, backs_off ? 0 : edge->events, edge->source, edge->execution);
    }
    edge->backs_off_until = until;
}

void edge_wait(struct edge_state *edge, int fd) {
    int64_t now = now_ms();
    bool backs_off = !edge->terminal && backoff_is_due(&edge->backoff, edge->moved, now) &&
                 (edge->backs_off_until != 0 || fcntl(fd, F_SETPIPE_SZ, BACKOFF_PIPE) >= 0);
    edge->ready = false;
    edge->moved = 0;
    back_off_until(edge, fd, backs_off ? now + BACKOFF_MS : 0);
}

void edge_wake(struct edge_state *edge, int fd) {
    edge->backoff = (struct backoff){0};
    if (fd >= 0) back_off_until(edge, fd, 0);
}

int64_t edge_deadline(const struct edge_state *edge) {
    return edge->backs_off_until == 0 || edge->ready ? INT64_MAX : edge->backs_off_until;
}
