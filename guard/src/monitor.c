#include "monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

void monitor_open(struct monitor *monitor) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("no monitor: %s", strerror(errno));
    monitor->fd = ends[0];
    monitor->program_end = ends[1];
    monitor->filled = 0;
}

bool monitor_send(struct monitor *monitor, const char *command) {
    char line[128];
    int length = snprintf(line, sizeof line, "{\"execute\":\"%s\"}\n", command);
    ssize_t sent = send(monitor->fd, line, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == length) return true;
    /* The rest of it would have to come before anything else. */
    if (sent > 0) monitor_close(monitor);
    return false;
}

bool monitor_fill(struct monitor *monitor) {
    if (monitor->fd < 0) return false;
    size_t room = sizeof monitor->line - monitor->filled;
    ssize_t n = room == 0 ? 0 : recv(monitor->fd, monitor->line + monitor->filled, room, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) {
        monitor_close(monitor);
        return false;
    }
    monitor->filled += (size_t)n;
    return true;
}

bool monitor_next(struct monitor *monitor, struct qmp_message *message) {
    char *end = memchr(monitor->line, '\n', monitor->filled);
    if (end == NULL) return false;
    size_t length = (size_t)(end - monitor->line);
    *message = qmp_parse(monitor->line, length);
    monitor->filled -= length + 1;
    memmove(monitor->line, end + 1, monitor->filled);
    return true;
}

void monitor_close(struct monitor *monitor) {
    if (monitor->fd >= 0) close(monitor->fd);
    monitor->fd = -1;
    monitor->filled = 0;
}
