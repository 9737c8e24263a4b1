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
#include "file_operation.h"
#include "identity.h"
#include "record.h"

enum { REPORT = 3 };

void spawn_give_up(enum failure code, const char *format, ...) {
    struct spawn_failure failure = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.sentence, sizeof failure.sentence, format, arguments);
    va_end(arguments);
    ssize_t ignored = write(REPORT, &failure, sizeof failure); /* less than PIPE_BUF, so whole or not at all */
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

/* The agent's own limit is higher, for its pipes. */
static void set_limits(void) {
    struct rlimit files = {.rlim_cur = 1024, .rlim_max = 524288};
    setrlimit(RLIMIT_NOFILE, &files);
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
        if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) {
            if (fchown(fd, identity->uid, (gid_t)-1) != 0) continue;
        }
    }
}

static void add_home(const struct exec_request *command, const char *home) {
    static char entry[HOME_MAX + 8];
    char **e = command->environment;
    for (; *e != NULL; e++) {
        if (strncmp(*e, "HOME=", 5) == 0) return;
    }
    snprintf(entry, sizeof entry, "HOME=%s", home);
    e[0] = entry;
    e[1] = NULL;
}

static void leave_agent(const int ends[4]) {
    setsid();
    reset_signals();
    /* Nothing of the agent's stays open: a copy of another execution's stdin would keep that from its end. All ends
     * are above 3, because the agent's first four descriptors are taken. */
    for (int fd = STDIN_FILENO; fd <= REPORT; fd++) {
        if (dup2(ends[fd], fd) < 0) _exit(127);
    }
    if (fcntl(REPORT, F_SETFD, FD_CLOEXEC) != 0) _exit(127);
    close_range(REPORT + 1, ~0U, 0);
}

__attribute__((noreturn)) static void become(const struct exec_request *command, const int ends[4]) {
    leave_agent(ends);
    set_limits();
    static struct identity identity;
    identity_find(command->user, &identity);
    enter_directory(command, &identity);
    give_streams(&identity);
    identity_take(&identity);
    add_home(command, identity.home);
    command_execute(command);
}

/* No exec follows: the rights are taken before a file is touched, and closing the report says that all went well. */
__attribute__((noreturn)) static void become_file_operation(const struct file_request *request, const int ends[4]) {
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
    close(REPORT);
    file_operation(request);
}

/* Pairs of descriptors: what the child gets as 0, 1, 2 and 3, and what the agent keeps. */
static bool make_pipes(bool with_input, int child[4], int agent[4]) {
    for (int i = 0; i < 4; i++) child[i] = agent[i] = -1;
    for (int i = 0; i < 4; i++) {
        int ends[2];
        if (i == STDIN_FILENO && !with_input) {
            child[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (child[i] < 0) return false;
            continue;
        }
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        child[i] = ends[i != STDIN_FILENO];
        agent[i] = ends[i == STDIN_FILENO];
        if (fcntl(agent[i], F_SETFL, O_NONBLOCK) != 0) return false;
    }
    return true;
}

static void close_all(const int fds[4]) {
    for (int i = 0; i < 4; i++) {
        if (fds[i] >= 0) close(fds[i]);
    }
}

/* Keeps the agent's ends, closes the child's. */
static bool spawned_as(pid_t pid, const int child[4], const int agent[4], struct spawned *spawned) {
    close_all(child);
    if (pid < 0) {
        close_all(agent);
        return false;
    }
    *spawned = (struct spawned){
        .pid = pid, .report = agent[REPORT], .input = agent[0], .outputs = {agent[1], agent[2]}};
    return true;
}

bool spawn(const struct exec_request *command, struct spawned *spawned) {
    int child[4], agent[4];
    pid_t pid = -1;
    if (make_pipes((command->flags & EXEC_STDIN) != 0, child, agent)) pid = fork();
    if (pid == 0) become(command, child);
    return spawned_as(pid, child, agent, spawned);
}

bool spawn_file_operation(const struct file_request *request, struct spawned *spawned) {
    int child[4], agent[4];
    pid_t pid = -1;
    if (make_pipes(file_request_has_input(request), child, agent)) pid = fork();
    if (pid == 0) become_file_operation(request, child);
    return spawned_as(pid, child, agent, spawned);
}
