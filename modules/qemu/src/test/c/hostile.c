/* In the place of a QEMU that its guest has broken into: it gets QEMU's command line and descriptors, and does what the first word
 * of its root disk says. What was not shut stands on the console as "OPEN". */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { GOODBYE = 3, OWNERS_PORT = 5 };

static int guard;
static char disk[4096];
static const char *kernel;

/* What follows a text in an argument, up to a comma; one that is doubled counts as a letter. */
static void value(const char *argument, const char *after, char *out, size_t size) {
    const char *at = strstr(argument, after);
    size_t length = 0;
    if (at == NULL) return;
    for (at += strlen(after); *at != '\0' && length + 1 < size; at++) {
        if (*at == ',' && *++at != ',') break;
        out[length++] = *at;
    }
    out[length] = '\0';
}

static void shut(const char *what, long result) {
    if (result >= 0) printf("OPEN: %s\n", what);
}

static void say(const char *line) {
    ssize_t ignored = write(guard, line, strlen(line));
    (void)ignored;
}

static void hear(void) {
    char line[4096];
    ssize_t ignored = read(guard, line, sizeof line);
    (void)ignored;
}

/* As QEMU does, up to the moment in which the guard closes the walls. */
static void begin(void) {
    say("{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n");
    hear();
    say("{\"return\": {}}\r\n");
    hear();
    say("{\"return\": {\"status\": \"prelaunch\"}}\r\n");
    hear();
    say("{\"return\": {}}\r\n");
    printf("begun\n");
}

static void attack(void) {
    shut("a file of the host", open("/etc/passwd", O_RDONLY));
    shut("a program", open("/bin/sh", O_RDONLY));
    shut("its own disk, to write", open(disk, O_RDWR));
    shut("what only its start needs", open(kernel, O_RDONLY));
    shut("the device of KVM", open("/dev/kvm", O_RDWR));
    shut("a new file", open("disk.9", O_RDWR | O_CREAT, 0600));
    shut("memory by /proc", open("/proc/self/mem", O_RDWR));
    shut("to remove its disk", unlink(disk));
    shut("to rename its disk", rename(disk, "taken"));
    shut("to change its disk's mode", chmod(disk, 0666));
    shut("to link its disk", link(disk, "linked"));
    shut("to cut off its disk", truncate(disk, 0));
    shut("the network", socket(AF_INET, SOCK_STREAM, 0));
    shut("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    shut("datagrams", socket(AF_UNIX, SOCK_DGRAM, 0));
    shut("an abstract socket", connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&(struct sockaddr_un){AF_UNIX, "\0x"}, 4));
    shut("a signal to all", kill(-1, 0));
    shut("a signal to its guard", syscall(SYS_tgkill, getppid(), getppid(), 0));
    shut("a queued signal", syscall(SYS_rt_sigqueueinfo, getppid(), 0, NULL));
    shut("a pidfd", syscall(SYS_pidfd_open, 1, 0));
    shut("to outlive its guard", prctl(PR_SET_PDEATHSIG, 0));
    shut("io_uring", syscall(SYS_io_uring_setup, 1, &(char[120]){0}));
    shut("shared memory of the user", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
    shut("another user", setuid(1));
    shut("a process", syscall(SYS_fork));
    shut("a program in its place", execl("/bin/true", "true", NULL));
    printf("attacked\n");
}

static void flood(int fd, const char *text, int mebibytes) {
    size_t length = strlen(text);
    for (long left = (long)mebibytes << 20; left > 0;) {
        ssize_t n = write(fd, text, length);
        if (n < 0) return;
        left -= n;
    }
}

/* The owner's connection gets what is no frame, so that it need not wait. */
static void end(void) {
    int owner = accept(OWNERS_PORT, NULL, NULL);
    flood(owner, "nonsense in the place of a hello, which is no frame of the guest protocol at all ", 1);
    for (;;) pause();
}

/* Its sockets close long before the guard can wait for it: all of this memory is freed in between. */
static void linger(void) {
    static char page[1 << 20];
    int memory = (int)syscall(SYS_memfd_create, "memory", 0);
    memset(page, 1, sizeof page);
    for (int i = 0; i < 1024 && memory >= 0; i++) {
        if (write(memory, page, sizeof page) < 0) break;
    }
    if (memory < OWNERS_PORT) printf("BROKEN: its memory: %s\n", strerror(errno));
}

int main(int argc, char **argv) {
    char number[16] = "", mode[32] = "";
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 1; i < argc; i++) {
        if (strstr(argv[i], "id=guard") != NULL) value(argv[i], "fd=", number, sizeof number);
        if (strcmp(argv[i], "-kernel") == 0) kernel = argv[i + 1];
        if (strstr(argv[i], "id=root") != NULL) value(argv[i], "file=", disk, sizeof disk);
    }
    guard = atoi(number);
    int fd = open(disk, O_RDONLY);
    ssize_t length = fd < 0 ? -1 : read(fd, mode, sizeof mode - 1);
    if (length <= 0) printf("BROKEN: its disk: %s\n", strerror(errno));
    if (strcmp(mode, "silent") == 0) end();
    begin();
    if (strcmp(mode, "attacks") == 0) {
        attack();
        for (;;) shut("a file of the host", open("/etc/passwd", O_RDONLY));
    }
    if (strcmp(mode, "once") == 0) {
        shut("a file of the host", open("/etc/passwd", O_RDONLY));
        printf("went on\n");
        return 1;
    }
    if (strcmp(mode, "stays") == 0) {
        shut("the network", socket(AF_INET, SOCK_STREAM, 0));
        for (;;) pause();
    }
    if (strcmp(mode, "calls") == 0) {
        for (;;) shut("the network", socket(AF_INET, SOCK_STREAM, 0));
    }
    if (strcmp(mode, "lingers") == 0) {
        linger();
        accept(OWNERS_PORT, NULL, NULL);
        ptrace(PTRACE_ATTACH, getppid(), 0, 0);
    }
    if (strcmp(mode, "traces") == 0) shut("its guard", ptrace(PTRACE_ATTACH, getppid(), 0, 0));
    if (strcmp(mode, "floods") == 0) {
        flood(STDOUT_FILENO, "console ", 4);
        flood(GOODBYE, "goodbye ", 1);
        flood(guard, "{\"event\": \"STOP\", \"data\": {\"action\": \"stop\"}}\r\n", 4);
    }
    if (strcmp(mode, "lies") == 0) {
        static const char *const lies[] = {
            "{\"event\": \"BLOCK_IO_ERROR\", \"data\": {\"nospace\": true, \"action\": \"stop\"}}\r\n",
            "{\"return\": {\"status\": \"io-error\"}}\r\n", "{\"event\": \"RESUME\"}\r\n", "{\"return\": {\"status\": 7}}\r\n",
            "{\"QMP\": {}}\r\n", "{\"error\": {\"class\": \"x\"}}\r\n", "{\"return\": {\"status\": \"prelaunch\"}}\r\n",
        };
        for (int i = 0; i < 10000; i++) say(lies[i % (int)(sizeof lies / sizeof *lies)]);
    }
    if (strcmp(mode, "babbles") == 0) flood(guard, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 1);
    end();
}
