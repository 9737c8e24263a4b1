#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fail.h"
#include "group.h"
#include "io.h"
#include "relay.h"

/* passt takes 10 to 20 ms; a host that swaps may take seconds. */
enum { READY_MS = 10000 };

enum { LOG_FILE_MAX = 16 * 1024 };

/* passt writes all that it has for a guest at once, and loses what its socket does not hold. This is more than an ordinary user
 * gets (net.core.wmem_max, twice: 425,984 bytes), which is two connections' windows, as the guest's agent bounds them. */
enum { PASST_ROOM = 4 << 20 };

/* The descriptors of both children after the standard ones. */
enum { FIRST = CHILD_FIRST, SECOND, THIRD, FOURTH };

__attribute__((noreturn)) static void become_passt(const struct options *options, int log, int end, pid_t guard) {
    /* Forgotten as soon as it changes its user; then the end of the relay's socket ends it. */
    child_die_with(guard);
    child_keep_only(log, &end, 1);
    static const int ignored_by_the_guard[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored_by_the_guard / sizeof *ignored_by_the_guard; i++) {
        signal(ignored_by_the_guard[i], SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(options->network[0], (char *const *)options->network);
    dprintf(STDERR_FILENO, "cannot start %s\n", options->network[0]);
    _exit(127);
}

__attribute__((noreturn)) static void become_relay(const struct options *options, int log, const int *descriptors,
                                                    pid_t guard) {
    child_die_with(guard);
    prctl(PR_SET_NAME, "cloche-relay");
    child_keep_only(log, descriptors, 4);
    relay(FIRST, SECOND, THIRD, FOURTH, options->network_mac);
}

struct network network_start(const struct options *options, int directory) {
    struct network network = {.passt_fd = -1, .relay_fd = -1, .program_end = -1, .ready = -1, .log = -1};
    if (options->network_count == 0) return network;
    int guest[2], outside[2], log[2], ready[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, guest) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, outside) != 0 || pipe2(log, O_CLOEXEC) != 0 ||
        setsockopt(outside[1], SOL_SOCKET, SO_SNDBUF, &(int){PASST_ROOM}, sizeof(int)) != 0 ||
        pipe2(ready, O_CLOEXEC) != 0 || fcntl(log[0], F_SETFL, O_NONBLOCK) != 0) {
        fail("no pipe for the network: %s", strerror(errno));
    }
    int traffic = openat(directory, "traffic", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (traffic < 0) fail("cannot make the file traffic: %s", strerror(errno));
    pid_t guard = getpid();
    network.passt = group_fork(0);
    if (network.passt == 0) become_passt(options, log[1], outside[1], guard);
    network.relay = network.passt < 0 ? -1 : group_fork(0);
    const int relays[] = {guest[1], outside[0], ready[1], traffic};
    if (network.relay == 0) become_relay(options, log[1], relays, guard);
    int error = errno;
    close(guest[1]);
    close(outside[0]);
    close(outside[1]);
    close(log[1]);
    close(ready[1]);
    close(traffic);
    network.program_end = guest[0];
    network.ready = ready[0];
    network.log = log[0];
    if (network.relay > 0) {
        network.passt_fd = child_pidfd(network.passt);
        network.relay_fd = child_pidfd(network.relay);
        if (network.passt_fd >= 0 && network.relay_fd >= 0) return network;
        error = errno;
    }
    network_end(&network);
    fail("cannot start the network: %s", strerror(error));
}

bool network_await(const struct network *network) {
    if (network->ready < 0) return true;
    struct pollfd events[] = {{.fd = network->ready, .events = POLLIN}, {.fd = network->passt_fd, .events = POLLIN}};
    int n;
    do n = poll(events, 2, READY_MS);
    while (n < 0 && errno == EINTR);
    char byte;
    bool answered = n > 0 && events[0].revents != 0 && read(network->ready, &byte, 1) == 1;
    close(network->ready);
    return answered;
}

struct capture network_log_open(const struct options *options, int directory) {
    return capture_open(directory, &options->reserve, "network.log", "network.log.1", LOG_FILE_MAX);
}

void network_log_keep(const struct network *network, const struct options *options, int directory) {
    struct capture capture = network_log_open(options, directory);
    while (capture_take(&capture, network->log) > 0) continue;
}

void network_end(struct network *network) {
    child_end(network->relay, network->relay_fd);
    child_end(network->passt, network->passt_fd);
    network->relay = network->passt = 0;
}
