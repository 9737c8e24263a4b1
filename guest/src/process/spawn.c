#include "process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change.h"
#include "files/file_operation.h"
#include "process/child.h"
#include "process/environment.h"
#include "process/identity.h"
#include "process/init.h"
#include "process/report.h"
#include "process/terminal.h"
#include "sys/nodes.h"
#include "wire/record.h"

/* The agent's ends, and what the child gets as 0, 1, 2 and 3; -1 where there is none. */
struct ends {
    int agent[4];
    int child[4];
    struct terminal terminal; /* master -1: none */
};

/* No exec follows: the rights are taken before a file is touched, and closing the report says that all went well. */
__attribute__((noreturn)) static void become_file_operation(const struct file_request *request, const struct ends *ends) {
    child_leave_agent(ends->child);
    /* A descriptor for each level of a tree. */
    struct rlimit files = {.rlim_cur = ENTRY_DEPTH_MAX + 64, .rlim_max = ENTRY_DEPTH_MAX + 64};
    struct rlimit none = {0};
    setrlimit(RLIMIT_NOFILE, &files);
    setrlimit(RLIMIT_CORE, &none);
    static struct identity identity;
    struct file_request own = *request;
    if (own.owner != NULL) {
        identity_find(own.owner, &identity);
        own.uid = identity.uid;
        own.gid = identity.gid;
    }
    identity_find(own.user, &identity);
    identity_take(&identity);
    umask(0);
    if (chdir("/") != 0) spawn_give_up(BAD_WORKING_DIRECTORY, "The root cannot be entered: %s.", strerror(errno));
    close(SPAWN_REPORT);
    file_operation(&own);
}

static bool make_pipe(struct ends *ends, int fd) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) return false;
    ends->child[fd] = pair[fd != STDIN_FILENO];
    ends->agent[fd] = pair[fd == STDIN_FILENO];
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
            ends->child[fd] = copy(node_null());
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

static bool make_ends(const struct exec_request *command, struct ends *ends) {
    if ((command->flags & EXEC_INIT) != 0) return make_console(ends);
    return (command->flags & EXEC_TERMINAL) != 0 ? make_terminal(command, ends)
                                                 : make_pipes((command->flags & EXEC_STDIN) != 0, ends);
}

/* The child shares the agent's memory until it executes; an init, of which there is one, has a copy. */
static pid_t clone_child(struct child_memory *memory) {
    if ((memory->command.flags & EXEC_INIT) != 0) {
        pid_t init = init_fork();
        if (init == 0) child_main(memory);
        return init;
    }
    if (!init_enter()) return -1;
    pid_t pid = clone(child_main, child_memory_stack(memory), CLONE_VM | SIGCHLD, memory);
    init_leave();
    return pid;
}

bool spawn(const struct exec_request *command, struct spawned *spawned) {
    struct ends ends = NO_ENDS;
    pid_t pid = -1;
    struct child_memory *memory = child_memory_make(command, environment_variables());
    if (memory != NULL && make_ends(command, &ends)) {
        memcpy(memory->ends, ends.child, sizeof ends.child);
        if ((command->flags & EXEC_TERMINAL) != 0) memory->terminal = (int)ends.terminal.number;
        pid = clone_child(memory);
    }
    if (!spawned_as(pid, &ends, spawned)) {
        child_memory_free(memory);
        return false;
    }
    spawned->memory = memory;
    return true;
}

bool spawn_file_operation(const struct file_request *request, struct spawned *spawned) {
    struct ends ends = NO_ENDS;
    pid_t pid = -1;
    bool made = make_pipes(file_request_has_input(request), &ends);
    if (made && request->operation == FILE_DIFF) made = dup3(changes_directory(), ends.child[STDIN_FILENO], O_CLOEXEC) >= 0;
    if (made && init_enter()) {
        pid = fork();
        if (pid == 0) become_file_operation(request, &ends);
        init_leave();
    }
    return spawned_as(pid, &ends, spawned);
}
