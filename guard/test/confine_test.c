/* What a guard that QEMU has broken could still do once it is confined. Prints nothing and exits 0 if that is what it should be. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/confine.h"

static void expect(bool good, int line) {
    if (good) return;
    dprintf(STDERR_FILENO, "confine_test.c:%d: not as expected\n", line);
    syscall(SYS_exit_group, 1);
}

#define EXPECT(condition) expect(condition, __LINE__)
#define REFUSED(call) EXPECT((errno = 0, (long)(call) == -1) && errno == EPERM)

static int go[2], done[2];

static void try_everything(void) {
    char byte = 0;
    struct iovec one = {&byte, 1};
    REFUSED(execl("/bin/true", "true", NULL));
    REFUSED(syscall(SYS_execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0));
    REFUSED(syscall(SYS_fork));
    REFUSED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    REFUSED(syscall(SYS_clone3, NULL, 0));
    REFUSED(socket(AF_INET, SOCK_STREAM, 0));
    REFUSED(socket(AF_NETLINK, SOCK_RAW, 0));
    REFUSED(syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0, 0));
    REFUSED(process_vm_readv(getppid(), &one, 1, &one, 1, 0));
    REFUSED(process_vm_writev(getppid(), &one, 1, &one, 1, 0));
    REFUSED(kill(getppid(), 0));
    REFUSED(syscall(SYS_pidfd_open, getppid(), 0));
    REFUSED(mount("a", "/", "tmpfs", 0, NULL));
    REFUSED(unshare(CLONE_NEWUSER));
    REFUSED(syscall(SYS_bpf, 0, NULL, 0));
    REFUSED(chmod("/tmp", 0777));
    REFUSED(symlink("/etc/passwd", "/tmp/never"));
    REFUSED(mkdir("/tmp/never", 0700));
    REFUSED(ioctl(STDOUT_FILENO, FIONREAD, &byte));
    EXPECT(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EPERM);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(page != MAP_FAILED);
    REFUSED(mprotect(page, 4096, PROT_READ | PROT_EXEC));
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    EXPECT(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
    EXPECT(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0);
}

static void *another_thread(void *unused) {
    char byte;
    EXPECT(read(go[0], &byte, 1) == 1);
    try_everything();
    EXPECT(write(done[1], "", 1) == 1);
    /* At its end the sanitizer would call what is refused. */
    for (;;) poll(NULL, 0, -1);
    return unused;
}

/* Whether a child that is confined so is ended by a call. */
static bool ends(bool (*confine)(void), void (*call)(void)) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (!confine()) syscall(SYS_exit_group, 1);
        call();
        syscall(SYS_exit_group, 0);
    }
    EXPECT(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

static void connects(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 1, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address);
}

static void makes_a_socket(void) { socket(AF_UNIX, SOCK_STREAM, 0); }
static void opens(void) { open("/dev/null", O_RDONLY); }
static void forks(void) { syscall(SYS_fork); }
static void binds(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0) syscall(SYS_exit_group, 1);
}

static void what_publishes_ports_can_do_no_more(void) {
    EXPECT(ends(confine_to_binding, connects) && ends(confine_to_binding, opens) && ends(confine_to_binding, forks));
    EXPECT(!ends(confine_to_binding, binds));
    EXPECT(ends(confine_to_forwarding, connects) && ends(confine_to_forwarding, makes_a_socket));
    EXPECT(ends(confine_to_forwarding, opens) && ends(confine_to_forwarding, forks));
}

int main(void) {
    pthread_t thread;
    what_publishes_ports_can_do_no_more();
    EXPECT(pipe(go) == 0 && pipe(done) == 0 && pthread_create(&thread, NULL, another_thread, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    EXPECT(child > 0 && pidfd >= 0 && confine_guard());
    try_everything();
    char byte;
    EXPECT(write(go[1], "", 1) == 1 && read(done[0], &byte, 1) == 1);
    /* A child of before is ended all the same. */
    EXPECT(syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0 && waitpid(child, NULL, 0) == child);
    /* The sanitizer would do at an exit what is refused. */
    syscall(SYS_exit_group, 0);
}
