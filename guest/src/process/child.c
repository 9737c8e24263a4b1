#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/child_memory.h"
#include "process/command.h"
#include "process/environment.h"
#include "process/identity.h"
#include "process/init.h"
#include "process/limits.h"
#include "process/report.h"
#include "process/terminal.h"
#include "sys/raw.h"

/* The agent ignores one signal and blocks two; it handles none. */
static void reset_signals(void) {
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } usual = {.handler = SIG_DFL};
    unsigned long none = 0;
    raw(SYS_rt_sigaction, SIGPIPE, &usual, 0, sizeof usual.mask);
    raw(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none);
}

void child_leave_agent(const int ends[4]) {
    raw(SYS_setsid, 0);
    reset_signals();
    /* Nothing of the agent's stays open: a copy of another execution's stdin would keep that from its end. All ends
     * are above 3, because the agent's first four descriptors are taken. */
    for (int fd = STDIN_FILENO; fd <= SPAWN_REPORT; fd++) {
        if (raw(SYS_dup2, ends[fd], fd) < 0) child_end();
    }
    if (raw(SYS_fcntl, SPAWN_REPORT, F_SETFD, FD_CLOEXEC) != 0) child_end();
    raw(SYS_close_range, SPAWN_REPORT + 1, ~0U, 0);
}

static void take_terminal(int number) {
    long slave = raw(SYS_fcntl, STDIN_FILENO, F_DUPFD_CLOEXEC, SPAWN_REPORT + 1);
    int error = slave < 0 ? (int)-slave : terminal_take((int)slave, (unsigned)number);
    if (error != 0) child_give_up(INTERNAL, error, "The terminal could not be taken", "", "");
    raw(SYS_close_range, SPAWN_REPORT + 1, ~0U, 0);
}

static void make_directories(const char *path) {
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part) return;
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        raw(SYS_mkdir, part, 0755);
    }
}

static void enter_directory(const struct exec_request *command, const struct identity *identity) {
    const char *path = command->directory;
    long entered = raw(SYS_chdir, path);
    if (entered == -ENOENT && (command->flags & EXEC_MAKE_DIRECTORY) != 0) {
        make_directories(path);
        entered = raw(SYS_chdir, path);
        if (entered == 0) {
            long given = raw(SYS_chown, ".", identity->uid, identity->gid);
            if (given == 0) return;
            child_give_up(BAD_WORKING_DIRECTORY, (int)-given, "The working directory could not be given to the user", "", "");
        }
    }
    if (entered == 0) return;
    child_give_up(BAD_WORKING_DIRECTORY, (int)-entered, "The working directory ", path, " cannot be entered");
}

/* A program reopens its streams by name (/dev/stderr), so they belong to its user. */
static void give_streams(const struct identity *identity, bool terminal) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat status;
        if (raw(SYS_fstat, fd, &status) != 0 || status.st_uid == identity->uid) continue;
        if (terminal || S_ISFIFO(status.st_mode)) raw(SYS_fchown, fd, identity->uid, -1);
    }
}

/* An init has the agent's memory copied, not shared: it may use the C library. */
static void become_init(void) {
    int error = init_prepare();
    if (error != 0) child_give_up(INTERNAL, error, "The init's /proc and /run could not be mounted", "", "");
}

int child_main(void *argument) {
    struct child_memory *memory = argument;
    struct exec_request *command = &memory->command;
    struct identity identity;
    child_leave_agent(memory->ends);
    if ((command->flags & EXEC_INIT) != 0) become_init();
    if (memory->terminal >= 0) take_terminal(memory->terminal);
    identity_find(command->user, &identity);
    enter_directory(command, &identity);
    give_streams(&identity, memory->terminal >= 0);
    char home[sizeof "HOME=" + HOME_MAX] = "HOME=";
    strcpy(home + strlen(home), identity.home);
    environment_complete(command->environment, memory->variables, home, memory->terminal >= 0);
    limits_set(command);
    identity_take(&identity);
    command_execute(command);
}
