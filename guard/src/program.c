#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "sockets.h"

enum { GOODBYE = 3, FIRST_LISTENING = 4, PARKED = FIRST_LISTENING + MAX_LISTEN + 3 };

/* In the child: reports errno to the guard, which waits for it or for the end of the pipe by a successful exec. */
__attribute__((noreturn)) static void give_up(int report) {
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

__attribute__((noreturn)) static void become(const struct options *options, const int *listening, int console,
                                              int goodbye, int output, int network, int monitor, int report,
                                              pid_t guard) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(report);
    /* The guard may have died before the line above; then the kernel would not send the signal. */
    if (getppid() != guard) _exit(127);

    /* First out of the way, then into place: a source may have the number of another's target. */
    int parked_report = fcntl(report, F_DUPFD_CLOEXEC, PARKED);
    if (parked_report < 0) give_up(report);
    int parked[PARKED];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) give_up(report);
    parked[STDIN_FILENO] = fcntl(null, F_DUPFD_CLOEXEC, PARKED);
    parked[STDOUT_FILENO] = parked[STDERR_FILENO] = fcntl(console, F_DUPFD_CLOEXEC, PARKED);
    parked[GOODBYE] = fcntl(goodbye, F_DUPFD_CLOEXEC, PARKED);
    int count = FIRST_LISTENING + options->listen_count;
    for (int i = FIRST_LISTENING; i < count; i++) {
        parked[i] = fcntl(listening[i - FIRST_LISTENING], F_DUPFD_CLOEXEC, PARKED);
    }
    if (output >= 0) parked[count++] = fcntl(output, F_DUPFD_CLOEXEC, PARKED);
    if (network >= 0) parked[count++] = fcntl(network, F_DUPFD_CLOEXEC, PARKED);
    if (monitor >= 0) parked[count++] = fcntl(monitor, F_DUPFD_CLOEXEC, PARKED);
    for (int i = 0; i < count; i++) {
        if (parked[i] < 0 || dup2(parked[i], i) < 0) give_up(parked_report);
    }

    static const int ignored_by_the_guard[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored_by_the_guard / sizeof *ignored_by_the_guard; i++) {
        signal(ignored_by_the_guard[i], SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(options->program[0], options->program);
    give_up(parked_report);
}

/* Takes back what was begun. */
static void undo(const struct options *options, struct network *network) {
    network_end(network);
    remove_sockets(options);
}

struct program start_program(const struct options *options, const int *listening, struct network *network, int monitor) {
    int console[2], goodbye[2], report[2], output[2] = {-1, -1};
    bool piped = pipe2(console, O_CLOEXEC) == 0 && pipe2(goodbye, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0;
    if (!piped || (options->output_log_bytes > 0 && pipe2(output, O_CLOEXEC) != 0)) {
        int error = errno;
        undo(options, network);
        fail("no pipe: %s", strerror(error));
    }
    pid_t guard = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        become(options, listening, console[1], goodbye[1], output[1], network->program_end, monitor, report[1], guard);
    }
    int error = errno;
    close(console[1]);
    close(goodbye[1]);
    if (output[1] >= 0) close(output[1]);
    close(report[1]);
    if (network->program_end >= 0) close(network->program_end);
    if (monitor >= 0) close(monitor);
    for (int i = 0; i < options->listen_count; i++) close(listening[i]);
    if (pid < 0) {
        undo(options, network);
        fail("cannot fork: %s", strerror(error));
    }
    ssize_t n;
    while ((n = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) continue;
    close(report[0]);
    if (n == sizeof error) {
        undo(options, network);
        fail("cannot start %s: %s", options->program[0], strerror(error));
    }
    struct program program = {
        .pid = pid,
        .pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
        .console = console[0],
        .goodbye = goodbye[0],
        .output = output[0],
    };
    /* Only the read ends: the flag belongs to an end, so the program's writes still block. */
    if (program.pidfd < 0 || fcntl(program.console, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(program.goodbye, F_SETFL, O_NONBLOCK) != 0 ||
        (program.output >= 0 && fcntl(program.output, F_SETFL, O_NONBLOCK) != 0)) {
        error = errno;
        kill(pid, SIGKILL);
        undo(options, network);
        fail("cannot watch the program: %s", strerror(error));
    }
    return program;
}
