#include "process/children.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/loop.h"
#include "sys/log.h"

static int signals = -1;
static unsigned killed;
static bool (*child_ended)(pid_t pid, int status);

void children_open(bool (*ended)(pid_t pid, int status)) {
    child_ended = ended;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    /* For tasks, which begin with what the agent blocks: a shutdown asks all processes by SIGTERM. */
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (signals < 0) die("no signalfd: %s", strerror(errno));
    loop_watch(signals, EPOLLIN, CHILDREN, 0);
}

void children_reap(void) {
    struct signalfd_siginfo ignored[8];
    while (read(signals, ignored, sizeof ignored) > 0) continue;
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        bool own = child_ended(pid, status);
        killed += !own && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
}

bool children_none(void) {
    siginfo_t ignored;
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

unsigned children_killed(void) { return killed; }
