#include "ports.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "binder.h"
#include "child.h"
#include "handing.h"
#include "io.h"
#include "ports_file.h"

/* Both answer at once, but not on a host that is starved; a forwarder that a guest has broken may never. */
#ifndef ANSWER_MS
#define ANSWER_MS 10000
#endif

static const char FILE_NAME[] = "ports", ANSWER_NAME[] = "ports.answer";

__attribute__((noreturn)) static void become_forwarder(int log, int orders, int traffic, pid_t guard) {
    const int kept[] = {orders, traffic};
    child_die_with(guard);
    prctl(PR_SET_NAME, "cloche-ports");
    child_keep_only(log, kept, 2);
    forwarder(CHILD_FIRST, CHILD_FIRST + 1);
}

__attribute__((noreturn)) static void become_binder(int log, int requests, pid_t guard) {
    child_die_with(guard);
    prctl(PR_SET_NAME, "cloche-binder");
    child_keep_only(log, &requests, 1);
    binder(CHILD_FIRST);
}

bool ports_start(struct ports *ports, const struct options *options, int directory) {
    *ports = (struct ports){
        .channel = options->ports, .forwarder_fd = -1, .binder_fd = -1, .orders = -1, .requests = -1};
    if (ports->channel == NULL) return true;
    int orders[2], requests[2];
    /* A relay has emptied it; else it is what an earlier run has left. */
    int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (options->network_count == 0 ? O_TRUNC : 0);
    int traffic = openat(directory, "traffic", flags, 0600), null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (traffic < 0 || null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests) != 0) {
        return false;
    }
    pid_t guard = getpid();
    ports->forwarder = group_fork(0);
    if (ports->forwarder == 0) become_forwarder(null, orders[1], traffic, guard);
    ports->binder = ports->forwarder < 0 ? -1 : group_fork(0);
    if (ports->binder == 0) become_binder(null, requests[1], guard);
    int error = errno;
    close(orders[1]);
    close(requests[1]);
    close(traffic);
    close(null);
    ports->orders = orders[0];
    ports->requests = requests[0];
    if (ports->binder < 0) {
        errno = error;
        return false;
    }
    ports->forwarder_fd = child_pidfd(ports->forwarder);
    ports->binder_fd = child_pidfd(ports->binder);
    return ports->forwarder_fd >= 0 && ports->binder_fd >= 0;
}

void ports_end(struct ports *ports) {
    child_end(ports->forwarder, ports->forwarder_fd);
    child_end(ports->binder, ports->binder_fd);
    ports->forwarder = ports->binder = 0;
}

static int64_t clock_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Takes the answer, which begins with the number of what was asked last. One to what was asked before comes too late. */
static bool answers(struct ports *ports, int socket, void *answer, size_t length, int *fd) {
    int64_t end = clock_ms() + ANSWER_MS;
    *fd = -1;
    for (int64_t left; !ports->late && (left = end - clock_ms()) > 0;) {
        if (poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, (int)left) <= 0) continue;
        bool whole = take_over(socket, answer, length, fd);
        if (whole && memcmp(answer, &ports->number, sizeof ports->number) == 0) return true;
        if (*fd >= 0) close(*fd);
        if (!whole) break;
    }
    ports->late = true;
    return false;
}

/* Answers 0 or an errno, once it is so. What is late (ETIMEDOUT) is done before all that is ordered later. */
static int order(struct ports *ports, enum forwarder_order what, int id, uint16_t guest_port, int fd) {
    struct forwarder_message message = {
        .number = ++ports->number, .order = what, .id = (uint32_t)id, .guest_port = guest_port};
    uint32_t number;
    int none;
    if (!hand_over(ports->orders, &message, sizeof message, fd)) return errno;
    if (!answers(ports, ports->orders, &number, sizeof number, &none)) return ETIMEDOUT;
    if (none >= 0) close(none);
    return 0;
}

static int connect_channel(struct ports *ports) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, ports->channel);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return errno;
    int error = connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ? errno
                                                                             : order(ports, FORWARD_CHANNEL, 0, 0, fd);
    close(fd);
    ports->connected = error == 0 || error == ETIMEDOUT;
    return error;
}

static int listen_for(struct ports *ports, struct published *port, int id) {
    struct binder_request request = {.number = ++ports->number, .address = port->address, .port = port->asked};
    struct binder_answer answer;
    int fd;
    if (!hand_over(ports->requests, &request, sizeof request, -1)) return errno;
    if (!answers(ports, ports->requests, &answer, sizeof answer, &fd)) return ETIMEDOUT;
    if (fd < 0) return answer.error != 0 ? answer.error : EIO;
    port->port = answer.port;
    int error = order(ports, FORWARD_LISTENER, id, port->guest_port, fd);
    port->handed = error == 0 || error == ETIMEDOUT;
    close(fd);
    return error;
}

static void publish(struct ports *ports, int id) {
    struct published *port = &ports->list[id];
    port->error = ports->late ? ETIMEDOUT : ports->connected ? 0 : connect_channel(ports);
    if (port->error == 0) port->error = listen_for(ports, port, id);
    port->there = port->error == 0;
}

/* One that is there already keeps its port. */
static bool keep(struct ports *ports, const struct wanted_port *wanted) {
    for (int i = 0; i < FORWARDED_PORTS; i++) {
        struct published *port = &ports->list[i];
        if (!port->there || port->wanted || port->address != wanted->address || port->guest_port != wanted->guest_port) continue;
        port->wanted = wanted->port == port->port || wanted->port == port->asked;
        if (port->wanted) return true;
    }
    return false;
}

static void take_back_what_is_not_wanted(struct ports *ports) {
    for (int i = 0; i < FORWARDED_PORTS; i++) {
        struct published *port = &ports->list[i];
        if (port->wanted) continue;
        if (port->handed) order(ports, FORWARD_NO_MORE, i, 0, -1);
        *port = (struct published){0};
    }
}

/* There is a place: the file has no more lines than there are. */
static void add(struct ports *ports, const struct wanted_port *wanted) {
    int place = 0;
    while (ports->list[place].wanted) place++;
    ports->list[place] = (struct published){
        .wanted = true, .address = wanted->address, .asked = wanted->port, .guest_port = wanted->guest_port};
    publish(ports, place);
}

static void answer(const struct ports *ports, int directory, uint64_t number) {
    char text[PORTS_FILE_MAX];
    int length = snprintf(text, sizeof text, "%llu\n", (unsigned long long)number);
    for (int i = 0; i < FORWARDED_PORTS; i++) {
        const struct published *port = &ports->list[i];
        if (!port->wanted) continue;
        char address[INET_ADDRSTRLEN];
        inet_ntop(AF_INET, &port->address, address, sizeof address);
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %s:%d:%d\n", port->error, address,
                           ntohs(port->there ? port->port : port->asked), port->guest_port);
    }
    int file = write_whole(directory, ANSWER_NAME, text, (size_t)length);
    if (file >= 0) close(file);
}

static bool read_file(int directory, struct ports_file *file) {
    char text[PORTS_FILE_MAX];
    int fd = openat(directory, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0) close(fd);
    return n > 0 && n < (ssize_t)sizeof text && ports_file_parse(text, (size_t)n, file);
}

void ports_hear(struct ports *ports, int directory) {
    struct ports_file file;
    bool kept[FORWARDED_PORTS];
    if (ports->channel == NULL || !read_file(directory, &file)) return;
    ports->late = false;
    for (int i = 0; i < FORWARDED_PORTS; i++) ports->list[i].wanted = false;
    for (int i = 0; i < file.count; i++) kept[i] = keep(ports, &file.list[i]);
    take_back_what_is_not_wanted(ports);
    for (int i = 0; i < file.count; i++) {
        if (!kept[i]) add(ports, &file.list[i]);
    }
    answer(ports, directory, file.number);
}
