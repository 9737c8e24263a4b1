#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "devices.h"
#include "environment.h"
#include "file_operation.h"
#include "identity.h"
#include "init.h"
#include "limits.h"
#include "record.h"
#include "terminal.h"

void spawn_give_up(enum failure code, const char *format, ...) {
    struct spawn_failure failure = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.sentence, sizeof failure.sentence, format, arguments);
    va_end(arguments);
    ssize_t ignored = write(SPAWN_REPORT, &failure, sizeof failure); /* less than PIPE_BUF, so whole or not at all */
    (void)ignored;
    _exit(127);
}

bool spawn_told(int report, struct spawn_failure *failure) {
    ssize_t n = read(report, failure, sizeof *failure);
    if (n < 0) return errno != EAGAIN && errno != EINTR;
    if (n != sizeof *failure) failure->code = 0;
    return true;
}

static void reset_signals(void) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void make_directories(const char *path) {
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part) return;
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        mkdir(part, 0755);
    }
}

static void enter_directory(const struct exec_request *command, const struct identity *identity) {
    const char *path = command->directory;
    if (chdir(path) == 0) return;
    if (errno == ENOENT && (command->flags & EXEC_MAKE_DIRECTORY) != 0) {
        make_directories(path);
        if (chdir(path) == 0) {
            if (chown(".", identity->uid, identity->gid) != 0) {
                spawn_give_up(BAD_WORKING_DIRECTORY, "The working directory could not be given to the user: %s.", strerror(errno));
            }
            return;
        }
    }
    spawn_give_up(BAD_WORKING_DIRECTORY, "The working directory %.100s cannot be entered: %s.", path, strerror(errno));
}

/* A program reopens its streams by name (/dev/stderr), so they belong to its user. */
static void give_streams(const struct identity *identity) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || isatty(fd))) {
            if (fchown(fd, identity->uid, (gid_t)-1) != 0) continue;
        }
    }
}

/* The agent's ends, and what the child gets as 0, 1, 2 and 3; -1 where there is none. */
struct ends {
    int agent[4];
    int child[4];
    struct terminal terminal; /* master -1: none */
};

static void leave_agent(const struct ends *ends) {
    setsid();
    reset_signals();
    /* Nothing of the agent's stays open: a copy of another execution's stdin would keep that from its end. All ends
     * are above 3, because the agent's first four descriptors are taken. */
    for (int fd = STDIN_FILENO; fd <= SPAWN_REPORT; fd++) {
        if (dup2(ends->child[fd], fd) < 0) _exit(127);
    }
    if (fcntl(SPAWN_REPORT, F_SETFD, FD_CLOEXEC) != 0) _exit(127);
    close_range(SPAWN_REPORT + 1, ~0U, 0);
}

__attribute__((noreturn)) static void become(const struct exec_request *command, const struct ends *ends) {
    leave_agent(ends);
    if (ends->terminal.master >= 0) {
        int slave = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, SPAWN_REPORT + 1);
        if (slave < 0 || !terminal_take(slave, ends->terminal.number)) {
            spawn_give_up(INTERNAL, "The terminal could not be taken: %s.", strerror(errno));
        }
        close_range(SPAWN_REPORT + 1, ~0U, 0);
    }
    int error = command->stop_signal != 0 ? init_prepare() : 0;
    if (error != 0) spawn_give_up(INTERNAL, "The init's /proc and /run could not be mounted: %s.", strerror(error));
    static struct identity identity;
    identity_find(command->user, &identity);
    enter_directory(command, &identity);
    give_streams(&identity);
    struct exec_request completed = *command;
    completed.environment =
        environment_complete(command->environment, identity.home, (command->flags & EXEC_TERMINAL) != 0);
    if (completed.environment == NULL) spawn_give_up(OUT_OF_RESOURCES, "The guest has no memory for the environment.");
    limits_set(command);
    identity_take(&identity);
    command_execute(&completed);
}

/* No exec follows: the rights are taken before a file is touched, and closing the report says that all went well. */
__attribute__((noreturn)) static void become_file_operation(const struct file_request *request, const struct ends *ends) {
    leave_agent(ends);
    /* A descriptor for each level of a tree. */
    struct rlimit files = {.rlim_cur = ENTRY_DEPTH_MAX + 64, .rlim_max = ENTRY_DEPTH_MAX + 64};
    struct rlimit none = {0};
    setrlimit(RLIMIT_NOFILE, &files);
    setrlimit(RLIMIT_CORE, &none);
    static struct identity identity;
    identity_find(request->user, &identity);
    identity_take(&identity);
    umask(0);
    if (chdir("/") != 0) spawn_give_up(BAD_WORKING_DIRECTORY, "The root cannot be entered: %s.", strerror(errno));
    close(SPAWN_REPORT);
    file_operation(request);
}

/* A larger pipe than usual lets its writer and the agent take turns less often: half as much again of throughput. */
static bool make_pipe(struct ends *ends, int fd) {
    enum { PIPE_SIZE = 256 * 1024 };
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) return false;
    ends->child[fd] = pair[fd != STDIN_FILENO];
    ends->agent[fd] = pair[fd == STDIN_FILENO];
    if (fd != SPAWN_REPORT) fcntl(ends->agent[fd], F_SETPIPE_SZ, PIPE_SIZE);
    return fcntl(ends->agent[fd], F_SETFL, O_NONBLOCK) == 0;
}

static int copy(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, SPAWN_REPORT + 1); }

static bool make_terminal(const struct exec_request *command, struct ends *ends) {
    if (!terminal_create(command->rows, command->columns, &ends->terminal)) return false;
    ends->child[STDIN_FILENO] = ends->terminal.slave;
    ends->child[STDOUT_FILENO] = copy(ends->terminal.slave);
    ends->child[STDERR_FILENO] = copy(ends->terminal.slave);
    ends->agent[STDIN_FILENO] = copy(ends->terminal.master);
    ends->agent[STDOUT_FILENO] = copy(ends->terminal.master);
    return ends->child[STDOUT_FILENO] >= 0 && ends->child[STDERR_FILENO] >= 0 && ends->agent[STDIN_FILENO] >= 0 &&
           ends->agent[STDOUT_FILENO] >= 0 && make_pipe(ends, SPAWN_REPORT);
}

static bool make_pipes(bool with_input, struct ends *ends) {
    for (int fd = STDIN_FILENO; fd <= SPAWN_REPORT; fd++) {
        if (fd == STDIN_FILENO && !with_input) {
            ends->child[fd] = copy(devices_null());
            if (ends->child[fd] < 0) return false;
        } else if (!make_pipe(ends, fd)) {
            return false;
        }
    }
    return true;
}

/* An init has the console, as the kernel gives it to one; the agent's own streams are that. */
static bool make_console(struct ends *ends) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        ends->child[fd] = copy(fd);
        if (ends->child[fd] < 0) return false;
    }
    return make_pipe(ends, SPAWN_REPORT);
}

static const struct ends NO_ENDS = {.agent = {-1, -1, -1, -1}, .child = {-1, -1, -1, -1}, .terminal.master = -1};

static void close_all(const int fds[4]) {
    for (int i = 0; i < 4; i++) {
        if (fds[i] >= 0) close(fds[i]);
    }
}

/* Keeps the agent's ends, closes the child's. */
static bool spawned_as(pid_t pid, const struct ends *ends, struct spawned *spawned) {
    close_all(ends->child);
    if (pid < 0) {
        close_all(ends->agent);
        if (ends->terminal.master >= 0) close(ends->terminal.master);
        return false;
    }
    *spawned = (struct spawned){
        .pid = pid,
        .report = ends->agent[SPAWN_REPORT],
        .input = ends->agent[STDIN_FILENO],
        .outputs = {ends->agent[STDOUT_FILENO], ends->agent[STDERR_FILENO]},
        .terminal = ends->terminal.master,
    };
    return true;
}

bool spawn(const struct exec_request *command, struct spawned *spawned) {
    struct ends ends = NO_ENDS;
    pid_t pid = -1;
    bool terminal = (command->flags & EXEC_TERMINAL) != 0, with_input = (command->flags & EXEC_STDIN) != 0;
    if (command->stop_signal != 0) {
        if (make_console(&ends)) pid = init_fork();
    } else if (terminal ? make_terminal(command, &ends) : make_pipes(with_input, &ends)) {
        pid = init_fork_among();
    }
    if (pid == 0) become(command, &ends);
    return spawned_as(pid, &ends, spawned);
}

bool spawn_file_operation(const struct file_request *request, struct spawned *spawned) {
    struct ends ends = NO_ENDS;
    pid_t pid = -1;
    if (make_pipes(file_request_has_input(request), &ends)) pid = init_fork_among();
    if (pid == 0) become_file_operation(request, &ends);
    return spawned_as(pid, &ends, spawned);
}
