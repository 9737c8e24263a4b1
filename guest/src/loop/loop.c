#include "loop/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/log.h"

static int epoll = -1;
static const struct loop_callbacks *callbacks;

void loop_open(const struct loop_callbacks *wanted) {
    callbacks = wanted;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) die("no epoll: %s", strerror(errno));
}

static void control(int operation, int fd, uint32_t events, enum source source, uint32_t id) {
    struct epoll_event event = {.events = events | EPOLLET, .data.u64 = (uint64_t)source << 32 | id};
    if (epoll_ctl(epoll, operation, fd, &event) != 0) log_line("cannot watch: %s", strerror(errno));
}

void loop_watch(int fd, uint32_t events, enum source source, uint32_t id) {
    control(EPOLL_CTL_ADD, fd, events, source, id);
}

void loop_rewatch(int fd, uint32_t events, enum source source, uint32_t id) {
    control(EPOLL_CTL_MOD, fd, events, source, id);
}

void loop_close(int fd) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
    close(fd);
}

static int timeout(int wait, int more) {
    if (!wait || more) return 0;
    int64_t next = callbacks->deadline();
    if (next == INT64_MAX) return -1;
    int64_t left = next - now_ms();
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

void loop_once(int wait) {
    static int more;
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, sizeof events / sizeof *events, timeout(wait, more));
    for (int i = 0; i < count; i++) {
        callbacks->event((enum source)(events[i].data.u64 >> 32), (uint32_t)events[i].data.u64);
    }
    more = callbacks->pump();
}
