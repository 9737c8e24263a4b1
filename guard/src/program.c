#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "ids.h"

enum { GOODBYE = 3, FIRST_LISTENING = 4, PARKED = FIRST_LISTENING + MAX_LISTEN + 3 };

/* What the child gets. */
struct ends {
    int console;
    int goodbye;
    int output;
    int network;
    int monitor;
    const int *listening;
};

/* In the child: reports to the guard, which waits for it or for the end of the connection by a successful execution. */
__attribute__((noreturn)) static void give_up(int talk, const struct jail_report *report) {
    ssize_t ignored = send(talk, report, sizeof *report, MSG_NOSIGNAL);
    (void)ignored;
    _exit(127);
}

__attribute__((noreturn)) static void give_up_with_errno(int talk) {
    struct jail_report report = {.error = errno};
    give_up(talk, &report);
}

__attribute__((noreturn)) static void become(const struct options *options, const struct ends *ends, int talk, pid_t guard,
                                              enum level level, uid_t own) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up_with_errno(talk);
    /* The guard may have died before the line above; then the kernel would not send the signal. In a namespace of its own it
     * has no parent; there it waits for the guard's word before it begins. */
    if (level != LEVEL_FULL && getppid() != guard) _exit(127);

    /* First out of the way, then into place: a source may have the number of another's target. */
    int parked_talk = fcntl(talk, F_DUPFD_CLOEXEC, PARKED);
    if (parked_talk < 0) give_up_with_errno(talk);
    int parked[PARKED];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) give_up_with_errno(talk);
    parked[STDIN_FILENO] = fcntl(null, F_DUPFD_CLOEXEC, PARKED);
    parked[STDOUT_FILENO] = parked[STDERR_FILENO] = fcntl(ends->console, F_DUPFD_CLOEXEC, PARKED);
    parked[GOODBYE] = fcntl(ends->goodbye, F_DUPFD_CLOEXEC, PARKED);
    int count = FIRST_LISTENING + options->listen_count;
    for (int i = FIRST_LISTENING; i < count; i++) {
        parked[i] = fcntl(ends->listening[i - FIRST_LISTENING], F_DUPFD_CLOEXEC, PARKED);
    }
    const int last[] = {ends->output, ends->network, ends->monitor};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        if (last[i] >= 0) parked[count++] = fcntl(last[i], F_DUPFD_CLOEXEC, PARKED);
    }
    for (int i = 0; i < count; i++) {
        if (parked[i] < 0 || dup2(parked[i], i) < 0) give_up_with_errno(parked_talk);
    }

    static const int ignored_by_the_guard[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored_by_the_guard / sizeof *ignored_by_the_guard; i++) {
        signal(ignored_by_the_guard[i], SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct jail_report report = {0};
    if (level == LEVEL_NONE) {
        execvp(options->program[0], options->program);
        report.error = errno;
    } else {
        jail_execute(&options->jail, level, own, options->directory, options->program, parked_talk, &report);
    }
    give_up(parked_talk, &report);
}

/* One try, at a level, as a user of its own if `own` is not 0. Answers the program's pid; 0 with `report` filled if it did not
 * become the program. */
static pid_t try_at(enum level level, uid_t own, const struct options *options, const struct ends *ends, int directory,
                    struct jail_report *report) {
    int talk[2];
    *report = (struct jail_report){0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) != 0) {
        report->error = errno;
        return 0;
    }
    pid_t guard = getpid();
    pid_t pid = jail_fork(level, own);
    if (pid == 0) become(options, ends, talk[1], guard, level, own);
    report->error = errno;
    close(talk[1]);
    bool became = pid > 0 && jail_accompany(&options->jail, directory, talk[0], report);
    close(talk[0]);
    if (became) return pid;
    if (pid > 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    } else if (level == LEVEL_FULL) {
        report->wall = true;
        strcpy(report->what, "namespaces");
    }
    return 0;
}

/* The user that the program becomes; 0: it stays the guard's. */
static uid_t user_for(const struct options *options, const char **missing) {
    struct stat status;
    /* At lower levels the program opens its files itself. */
    if (options->jail.most < LEVEL_SEALED) return 0;
    uid_t own = ids_take(missing);
    if (own == 0 || stat(options->program[0], &status) != 0 || (status.st_mode & S_IXOTH) != 0) return own;
    *missing = "an id of its own: the program is not executable for other users";
    return 0;
}

/* At the highest level that can be had. */
static pid_t start_at_best(const struct options *options, const struct ends *ends, struct network *network, int directory,
                           struct isolation *isolation) {
    enum level least = options->jail.least;
    struct jail_report report;
    const char *without_id = "";
    isolation->level = options->jail.most; /* none where none is asked for */
    uid_t own = user_for(options, &without_id);
    for (;; isolation->level--) {
        if (isolation->level < LEVEL_SEALED) own = 0;
        pid_t pid = try_at(isolation->level, own, options, ends, directory, &report);
        if (pid > 0) {
            if (isolation->level == LEVEL_FULL && own == 0) strcpy(isolation->missing, without_id);
            return pid;
        }
        if (!report.wall) break;
        snprintf(isolation->missing, sizeof isolation->missing, "%s: %s", report.what, strerror(report.error));
        if (isolation->level <= least) break;
    }
    network_end(network);
    if (report.wall) fail("the isolation %s is not to be had (%s)", level_name(least), isolation->missing);
    fail("cannot start %s: %s", options->program[0], strerror(report.error));
}

struct program start_program(const struct options *options, const int *listening, struct network *network, int monitor,
                             int directory) {
    int console[2], goodbye[2], output[2] = {-1, -1};
    bool piped = pipe2(console, O_CLOEXEC) == 0 && pipe2(goodbye, O_CLOEXEC) == 0;
    if (!piped || (options->output_log_bytes > 0 && pipe2(output, O_CLOEXEC) != 0)) {
        int error = errno;
        network_end(network);
        fail("no pipe: %s", strerror(error));
    }
    struct program program = {.console = console[0], .goodbye = goodbye[0], .output = output[0]};
    struct ends ends = {.console = console[1],
                        .goodbye = goodbye[1],
                        .output = output[1],
                        .network = network->program_end,
                        .monitor = monitor,
                        .listening = listening};
    program.pid = start_at_best(options, &ends, network, directory, &program.isolation);
    close(console[1]);
    close(goodbye[1]);
    if (output[1] >= 0) close(output[1]);
    if (network->program_end >= 0) close(network->program_end);
    if (monitor >= 0) close(monitor);
    for (int i = 0; i < options->listen_count; i++) close(listening[i]);
    program.pidfd = (int)syscall(SYS_pidfd_open, program.pid, 0);
    /* Only the read ends: the flag belongs to an end, so the program's writes still block. */
    if (program.pidfd < 0 || fcntl(program.console, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(program.goodbye, F_SETFL, O_NONBLOCK) != 0 ||
        (program.output >= 0 && fcntl(program.output, F_SETFL, O_NONBLOCK) != 0)) {
        int error = errno;
        kill(program.pid, SIGKILL);
        network_end(network);
        fail("cannot watch the program: %s", strerror(error));
    }
    return program;
}
