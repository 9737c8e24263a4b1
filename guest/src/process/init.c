#include "process/init.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/readiness.h"
#include "sys/log.h"

static const char GROUPS[] = "/sys/fs/cgroup/cgroup.procs";
static const char OWN_GROUP[] = "/sys/fs/cgroup/cloche", OWN_PROCESSES[] = "/sys/fs/cgroup/cloche/cgroup.procs";

/* The agent's namespace and the init's, as descriptors of a process in each; -1: none. */
static int home = -1, inside = -1;

static int descriptor_of(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/* Of whom the caller's next children are. */
static bool children_belong_to(int process) { return setns(process, CLONE_NEWPID) == 0; }

static void join_group(const char *processes) {
    int fd = open(processes, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1) log_line("cannot join %s", processes);
    if (fd >= 0) close(fd);
}

pid_t init_fork(void) {
    if (home < 0) home = descriptor_of(getpid());
    if (home < 0 || unshare(CLONE_NEWPID) != 0) return -1;
    /* An init lays out the tree of control groups from its root, where no process may be besides. */
    mkdir(OWN_GROUP, 0755);
    join_group(OWN_PROCESSES);
    readiness_open();
    pid_t pid = fork();
    if (pid == 0) return 0;
    int error = errno;
    if (!children_belong_to(home)) die("cannot return from the init's namespace");
    if (pid > 0) {
        inside = descriptor_of(pid);
        readiness_of(pid);
    }
    errno = error;
    return pid;
}

int init_prepare(void) {
    join_group(GROUPS);
    unsigned long plain = MS_NOSUID | MS_NODEV;
    /* A /proc shows the namespace of the process that mounted it. */
    if (mount("proc", "/proc", "proc", plain | MS_NOEXEC, NULL) != 0) return errno;
    if (mount("tmpfs", "/run", "tmpfs", plain, "mode=0755,size=20%") != 0) return errno;
    return 0;
}

bool init_enter(void) {
    if (inside < 0 || children_belong_to(inside)) return true;
    errno = ENOMEM;
    return false;
}

void init_leave(void) {
    int error = errno;
    if (inside >= 0 && !children_belong_to(home)) die("cannot return from the init's namespace");
    errno = error;
}

void init_ended(void) {
    if (inside < 0) return;
    close(inside);
    inside = -1;
    readiness_ended();
    umount2("/run", MNT_DETACH | UMOUNT_NOFOLLOW);
    umount2("/proc", MNT_DETACH | UMOUNT_NOFOLLOW);
}

bool init_asked_for_the_end(int status) {
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGHUP);
}
