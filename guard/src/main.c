/* The guard: the parent of one VM, which outlives the JVM that started it. Its contract is docs/guard.md. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "announce.h"
#include "confine.h"
#include "fail.h"
#include "group.h"
#include "health.h"
#include "holds.h"
#include "io.h"
#include "network.h"
#include "oom.h"
#include "options.h"
#include "ports.h"
#include "program.h"
#include "records.h"
#include "sockets.h"
#include "territory.h"
#include "watch.h"

/* A standard stream that the starter closed would give its number to the lock or a socket. */
static void fill_standard_streams(void) {
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
        if (fd < 0) _exit(EXIT_FAILED);
    } while (fd <= STDERR_FILENO);
}

static void hold_lock(int directory) {
    int lock = openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0) fail("cannot open the lock: %s", strerror(errno));
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) return; /* held, by this open descriptor, until the guard ends */
    if (errno != EWOULDBLOCK) fail("cannot lock: %s", strerror(errno));
    write_all(STDOUT_FILENO, "busy\n", 5);
    _exit(EXIT_BUSY);
}

/* From here on Ctrl-C and hang-ups of the starter's terminal do not reach the VM. */
static void leave_session(void) {
    if (setsid() >= 0 || getsid(0) == getpid()) return;
    /* A shell with job control makes the guard the leader of a group, which may not call setsid. */
    if (setpgid(0, getpgid(getppid())) != 0 || setsid() < 0) fail("setsid: %s", strerror(errno));
}

static int listen_to(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) fail("no signalfd: %s", strerror(errno));
    return fd;
}

/* Blocked before anything is started, so that none is lost; signalfd takes it from there. */
static struct orders orders(void) {
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    /* An ignored SIGCHLD, inherited from the starter, would make the kernel reap the program and lose its status. */
    signal(SIGCHLD, SIG_DFL);
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGTERM);
    sigaddset(&all, SIGUSR1);
    sigaddset(&all, SIGUSR2);
    sigprocmask(SIG_SETMASK, &all, NULL);
    return (struct orders){
        .terminate = listen_to(SIGTERM), .limit = listen_to(SIGUSR1), .ports = listen_to(SIGUSR2)};
}

/* What it has started has ended before it says that it failed: a starter may begin anew at once. */
static void end_all(const struct program *program, struct network *network, struct ports *ports) {
    kill(program->pid, SIGKILL);
    while (waitpid(program->pid, NULL, 0) < 0 && errno == EINTR) continue;
    network_end(network);
    ports_end(ports);
}

/* Once there are sockets. */
static const struct options *listening_for;

/* However it ends: no socket is left behind, and no group. */
static void leave(void) {
    if (listening_for != NULL) remove_sockets(listening_for);
    group_end();
}

/* What the network says is in its log. */
__attribute__((noreturn)) static void give_up_without_network(const struct options *options, int directory,
                                                              const struct program *program, struct network *network,
                                                              struct ports *ports) {
    end_all(program, network, ports);
    network_log_keep(network, options, directory);
    fail("the network does not answer");
}

/* For what errno says. */
__attribute__((noreturn)) static void give_up(const char *what, const struct program *program, struct network *network,
                                              struct ports *ports) {
    int error = errno;
    end_all(program, network, ports);
    fail("%s: %s", what, strerror(error));
}

int main(int argc, char **argv) {
    (void)argc;
    fill_standard_streams();
    if (!close_from(STDERR_FILENO + 1)) fail("cannot close what its starter has open: %s", strerror(errno));
    struct orders heard = orders();
    static struct options options; /* for what is done at its exit */
    options = parse_options(argv);
    int directory = open(options.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) fail("cannot open %s: %s", options.directory, strerror(errno));
    umask(077);
    hold_lock(directory);
    leave_session();
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int listening[MAX_LISTEN];
    hold_all(&options);
    int record = record_guard(directory);
    int exit_record = prepare_exit(directory);
    if (atexit(leave) != 0) fail("no memory");
    group_begin(&options.group, options.directory, directory, options.monitor != NULL ? options.monitor : options.directory);
    static struct health health; /* with the buffer of a line */
    health_open(&health, directory, options.monitor, &options.reserve);
    listen_all(&options, listening);
    listening_for = &options;
    struct network network = network_start(&options, directory);
    struct program program = start_program(&options, listening, &network, health.monitor.program_end, directory);
    health_begin(&health, program.pid);
    /* While the program opens what it needs, and before it is heard. */
    struct ports ports;
    if (!ports_start(&ports, &options, directory)) {
        give_up("cannot start what forwards ports", &program, &network, &ports);
    }
    group_sweep();
    struct oom oom = oom_begin(program.pid, options.oom_score, options.pool_age_ms > 0);
    if (program.isolation.level != LEVEL_NONE) {
        record_isolation(directory, level_name(program.isolation.level), program.isolation.missing);
    }
    if (!network_await(&network)) give_up_without_network(&options, directory, &program, &network, &ports);
    /* What QEMU says to it from here on is that of a guest that may have broken out. */
    territory_enter(&options, program.pid);
    if (!confine_guard() && program.isolation.level >= LEVEL_SEALED) {
        give_up("cannot confine itself", &program, &network, &ports);
    }
    struct announcement announcement = {.directory = directory, .record = record};
    health.oom = &oom;
    struct ending ending = watch(&options, &program, &network, &ports, &health, &announcement, &heard);
    network_end(&network);
    ports_end(&ports);
    ending.use = group_end();
    bool recorded = record_exit(directory, exit_record, &ending);
    return recorded ? 0 : EXIT_NO_RECORD;
}
