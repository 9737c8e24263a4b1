#include "loop/turns.h"

#include <fcntl.h>

#include "sys/clock.h"

void turns_begin(const struct turns *turns, int fd) {
    if (fd >= 0) loop_watch(fd, turns->events, turns->source, turns->execution);
}

bool turns_ready(struct turns *turns) {
    if (!turns->ready && turns->rests_until != 0) turns->ready = turns->rests_until <= now_ms();
    return turns->ready;
}

static void rest_until(struct turns *turns, int fd, int64_t until) {
    bool rests = until != 0;
    if (rests != (turns->rests_until != 0)) {
        loop_rewatch(fd, rests ? 0 : turns->events, turns->source, turns->execution);
    }
    turns->rests_until = until;
}

void turns_wait(struct turns *turns, int fd) {
    int64_t now = now_ms();
    bool rests = !turns->terminal && rest_is_due(&turns->rest, turns->moved, now) &&
                 (turns->rests_until != 0 || fcntl(fd, F_SETPIPE_SZ, REST_PIPE) >= 0);
    turns->ready = false;
    turns->moved = 0;
    rest_until(turns, fd, rests ? now + REST_MS : 0);
}

void turns_rouse(struct turns *turns, int fd) {
    turns->rest = (struct rest){0};
    if (fd >= 0) rest_until(turns, fd, 0);
}

int64_t turns_deadline(const struct turns *turns) {
    return turns->rests_until == 0 || turns->ready ? INT64_MAX : turns->rests_until;
}
