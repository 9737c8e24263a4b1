#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

/* The first descriptor that none of a child's is moved from. */
enum { PARKED = CHILD_FIRST + CHILD_MOST };

void child_die_with(pid_t guard) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != guard) _exit(127);
}

/* Nothing else of the guard's stays open: not its lock, nor the pipes of its starter. First out of the way, then into
 * place: a source may have the number of another's target. */
void child_keep_only(int log, const int *descriptors, int count) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int parked[PARKED] = {null, log, log};
    for (int i = 0; i < count; i++) parked[CHILD_FIRST + i] = descriptors[i];
    for (int i = 0; i < CHILD_FIRST + count; i++) parked[i] = fcntl(parked[i], F_DUPFD_CLOEXEC, PARKED);
    for (int i = 0; i < CHILD_FIRST + count; i++) {
        if (parked[i] < 0 || dup2(parked[i], i) < 0) _exit(127);
    }
    if (!close_from(CHILD_FIRST + count)) _exit(127);
}

int child_pidfd(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

void child_end(pid_t pid, int fd) {
    if (pid <= 0) return;
    /* Our child, which only we reap, so the pid is no other's; a guard that is confined has the descriptor. */
    if (fd < 0) kill(pid, SIGKILL);
    else syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    if (fd >= 0) close(fd);
}
