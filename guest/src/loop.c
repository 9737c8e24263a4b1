#include "loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "children.h"
#include "clock.h"
#include "devices.h"
#include "execution.h"
#include "freeze.h"
#include "log.h"
#include "log_port.h"
#include "port.h"
#include "readiness.h"
#include "shutdown.h"
#include "task.h"

static int epoll = -1;

void loop_open(void) {
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

static void handle(enum source source, uint32_t id) {
    switch (source) {
        case CHILDREN: children_reap(); break;
        case DEVICES: devices_event(); break;
        case PORT: port_event(id); break;
        case LOG_PORT: log_port_event(); break;
        case REPORT: execution_report(id); break;
        case INPUT: execution_input_ready(id); break;
        case OUTPUT_1: execution_output_ready(id, 0); break;
        case OUTPUT_2: execution_output_ready(id, 1); break;
        case READINESS: readiness_event(); break;
    }
}

static int timeout(int wait, int more) {
    if (!wait || more) return 0;
    int64_t next = INT64_MAX, due[] = {ports_deadline(), executions_deadline(), shutdown_deadline(), tasks_deadline(),
                                       freeze_deadline()};
    for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
        if (due[i] < next) next = due[i];
    }
    if (next == INT64_MAX) return -1;
    int64_t left = next - now_ms();
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

void loop_once(int wait) {
    static int more;
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, sizeof events / sizeof *events, timeout(wait, more));
    for (int i = 0; i < count; i++) handle((enum source)(events[i].data.u64 >> 32), (uint32_t)events[i].data.u64);
    more = devices_pump();
    tasks_pump();
    freeze_pump();
    more |= readiness_pump();
    more |= executions_pump();
    more |= ports_pump();
    shutdown_step();
}
