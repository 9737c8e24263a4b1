/* A stand-in for a QEMU that is broken into: attack BASE PID [DEADLY]. It tries what must be shut and says what was OPEN, one line
 * each, and "done" at the end; with DEADLY it makes that one call, with "reduced" it tries what Landlock shuts, with "opens N" and
 * "calls N" it is refused that often, with "broken" it has its guard open and connect for it once all is confined. BASE/vm is its VM's directory; docs/security.md has the rows. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static const char *base;

/* One that the starter has left open. */
enum { OF_STARTER = 9 };

static const char *in_base(const char *name) {
    static char path[2][4096];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", base, name);
    return path[turn];
}

/* What must be shut; `result` is that of a system call. */
static void shut(const char *row, long result) {
    if (result >= 0) printf("OPEN: %s\n", row);
}

/* What it needs for its work. */
static void works(const char *row, bool done) {
    if (!done) printf("BROKEN: %s (%s)\n", row, strerror(errno));
}

static bool reads(const char *name, int flags) {
    char byte;
    int fd = open(in_base(name), flags);
    bool read_it = fd >= 0 && read(fd, &byte, 1) == 1;
    if (fd >= 0) close(fd);
    return read_it;
}

/* As a clone's QEMU has it: it asks for it to be written, and gets it to be read. */
static void template(void) {
    enum { PAGE = 4096 };
    int memory = open(in_base("memory"), O_RDWR);
    char name[64];
    struct iovec one = {(char[1]){'x'}, 1};
    works("memory of a template", memory >= 0);
    shut("memory of a template, to write", write(memory, "x", 1));
    shut("memory of a template, at a place", pwrite(memory, "x", 1, 0));
    shut("memory of a template, from many places", pwritev(memory, &one, 1, 0));
    shut("memory of a template, copied into", copy_file_range(open(in_base("vm/disk.1"), O_RDONLY), NULL, memory, NULL, 1, 0));
    shut("memory of a template, cut off", ftruncate(memory, 0));
    shut("memory of a template, a hole in it", fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE));
    shut("memory of a template, its mode", fchmod(memory, 0666));
    shut("memory of a template, its times", futimens(memory, NULL));
    shut("memory of a template, a name for it", linkat(memory, "", AT_FDCWD, in_base("vm/disk.6"), AT_EMPTY_PATH));
    snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    shut("memory of a template, by /proc", open(name, O_RDWR));
    snprintf(name, sizeof name, "/dev/fd/%d", memory);
    shut("memory of a template, by /dev/fd", open(name, O_RDWR));
    shut("memory of a template, to write only", write(open(in_base("memory"), O_WRONLY), "x", 1));
    shut("memory of a template, by F_SETFL", fcntl(memory, F_SETFL, O_RDWR) < 0 ? -1 : write(memory, "x", 1));
    shut("memory of a template, by a mapping", mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED ? -1 : 0);
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, memory, 0);
    works("a mapping to read", page != MAP_FAILED);
    shut("memory of a template, by a mapping that is changed", mprotect(page, PAGE, PROT_READ | PROT_WRITE));
    shut("memory of a template, by MADV_REMOVE", madvise(page, PAGE, MADV_REMOVE));
    char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, memory, 0);
    works("a private mapping of it", own != MAP_FAILED);
    *own = 'x';
    shut("memory of a template, by msync", msync(own, PAGE, MS_SYNC) == 0 && pread(memory, name, 1, 0) == 1 && name[0] == 'x' ? 0 : -1);
    shut("memory of a template, by MADV_REMOVE of it", madvise(own, PAGE, MADV_REMOVE));
    close(memory);
}

static void files(void) {
    shut("a file of the host", open("/etc/passwd", O_RDONLY));
    shut("the directory of the host", open("/", O_RDONLY | O_DIRECTORY));
    shut("memory by /proc", open("/proc/self/mem", O_RDWR));
    shut("a file of the user", open(in_base("secret"), O_RDONLY));
    shut("a file of another VM", open(in_base("other/disk.0"), O_RDONLY));
    shut("what its guard records", open(in_base("vm/guard.json"), O_RDONLY));
    shut("what its guard records, to write", open(in_base("vm/exit.json.tmp"), O_WRONLY));
    shut("a name with ..", open(in_base("vm/../secret"), O_RDONLY));
    shut("a name that leads back by ..", open(in_base("vm/disk.1/../../secret"), O_RDONLY));
    shut("a link that looks like a layer", open(in_base("vm/disk.3"), O_RDONLY));
    shut("a FIFO that looks like a layer", open(in_base("vm/disk.4"), O_RDONLY));
    shut("a layer that others share, to write", open(in_base("vm/disk.0"), O_RDWR));
    shut("what is granted to read, to write", open(in_base("image"), O_RDWR));
    shut("what is granted, cut off", open(in_base("vm/disk.1"), O_RDWR | O_TRUNC));
    shut("a new file", open(in_base("vm/disk.9"), O_RDWR | O_CREAT, 0600));
    shut("a file without a name", open(in_base("vm"), O_RDWR | O_TMPFILE, 0600));
    shut("openat2", syscall(SYS_openat2, AT_FDCWD, in_base("image"), &(uint64_t[3]){0}, 24));
    template();
    works("what is granted to read", reads("image", O_RDONLY));
    works("a layer", reads("vm/disk.1", O_RDWR));
    works("a lower layer", reads("vm/disk.0", O_RDONLY));
}

static void names(void) {
    struct stat status;
    shut("whether a file is there", access("/etc/passwd", F_OK));
    shut("facts of a file", stat("/etc/passwd", &status));
    shut("to remove", unlink(in_base("secret")));
    shut("to remove a layer", unlink(in_base("vm/disk.1")));
    shut("to rename", rename(in_base("secret"), in_base("vm/disk.5")));
    shut("to link", link(in_base("secret"), in_base("vm/disk.5")));
    shut("to make a link", symlink("/etc/passwd", in_base("vm/disk.5")));
    shut("to make a directory", mkdir(in_base("vm/d"), 0700));
    shut("to change a mode", chmod(in_base("secret"), 0666));
    shut("to cut off by name", truncate(in_base("secret"), 0));
    shut("to go elsewhere", chdir("/etc"));
}

static struct sockaddr_un address(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    return name;
}

static long connect_to(const char *path, int type, size_t hidden) {
    struct sockaddr_un name = address(path);
    int fd = socket(AF_UNIX, type, 0);
    socklen_t length = sizeof name;
    if (hidden > 0) {
        memset(&name.sun_path, 0, sizeof name.sun_path);
        memcpy(name.sun_path + 1, path, hidden);
        length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + hidden);
    }
    return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&name, length);
}

static void sockets(void) {
    shut("the internet", socket(AF_INET, SOCK_STREAM, 0));
    shut("the internet, datagrams", socket(AF_INET6, SOCK_DGRAM, 0));
    shut("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    shut("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
    shut("raw frames", socket(AF_PACKET, SOCK_RAW, 0));
    shut("a socket of the user", connect_to(in_base("socket"), SOCK_STREAM, 0));
    shut("a socket of the user, in sequence", connect_to(in_base("socket"), SOCK_SEQPACKET, 0));
    shut("an abstract socket", connect_to("cloche-attacked", SOCK_STREAM, strlen("cloche-attacked")));
    shut("datagrams of the family", socket(AF_UNIX, SOCK_DGRAM, 0));
    int pair[2];
    shut("a pair for datagrams", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    struct sockaddr_un elsewhere = address(in_base("vm/own"));
    shut("a socket of another name", bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&elsewhere, sizeof elsewhere));
    works("the socket that saves it", connect_to(in_base("vm/s.mig"), SOCK_STREAM, 0) == 0);
    struct sockaddr_un port = address(in_base("vm/s.p1"));
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    works("a client's port", bind(client, (struct sockaddr *)&port, sizeof port) == 0 && listen(client, 1) == 0);
    works("to remove it", unlink(port.sun_path) == 0);
}

static void processes(pid_t guard) {
    shut("a signal to its guard", kill(guard, 0));
    shut("a signal to all", kill(-1, 0));
    shut("a thread's signal to its guard", syscall(SYS_tgkill, guard, guard, 0));
    shut("tkill", syscall(SYS_tkill, guard, 0));
    shut("a queued signal", syscall(SYS_rt_sigqueueinfo, guard, 0, NULL));
    shut("a pidfd", syscall(SYS_pidfd_open, guard, 0));
    int fd = open("/dev/null", O_RDONLY);
    shut("a signal by F_SETOWN", fcntl(fd, F_SETOWN, guard));
    shut("a signal by F_SETSIG", fcntl(fd, F_SETSIG, SIGKILL));
    shut("a signal by FIOSETOWN", ioctl(fd, 0x8901, &guard));
    shut("limits of its guard", prlimit(guard, RLIMIT_NOFILE, NULL, &(struct rlimit){0}));
    shut("to outlive its guard", prctl(PR_SET_PDEATHSIG, 0));
    shut("another program", execl("/bin/true", "true", NULL));
    shut("another process", syscall(SYS_fork));
    shut("another process by vfork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    shut("another process by clone3", syscall(SYS_clone3, &(uint64_t[11]){[4] = SIGCHLD}, 88));
    shut("a namespace by clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    shut("io_uring", syscall(SYS_io_uring_setup, 1, &(char[120]){0}));
    shut("shared memory of the user", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
    shut("another user", setuid(1));
    shut("a higher limit", setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1}));
    works("to end threads of its own", syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
}

/* A name that changes while it is looked at. */
static char raced[4096];
static atomic_bool over;

static void *change(void *granted) {
    while (!atomic_load(&over)) {
        memcpy(raced, in_base("secret"), strlen(in_base("secret")) + 1);
        memcpy(raced, granted, strlen(granted) + 1);
    }
    return NULL;
}

static void race(void) {
    enum { TRIES = 2000 };
    char granted[4096];
    snprintf(granted, sizeof granted, "%s", in_base("image"));
    strcpy(raced, granted);
    pthread_t thread;
    works("a thread", pthread_create(&thread, NULL, change, granted) == 0);
    for (int i = 0; i < TRIES; i++) {
        char first = 0;
        int fd = open(raced, O_RDONLY);
        if (fd < 0) continue;
        if (read(fd, &first, 1) == 1 && first != 'i') shut("a name that changes meanwhile", 0);
        close(fd);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
}

static void hear(int monitor, const char *command) {
    char line[4096] = {0};
    works("its monitor", read(monitor, line, sizeof line - 1) > 0 && strstr(line, command) != NULL);
}

/* Its guard hears from its monitor that it has begun, and says nothing more before it is sealed. */
static void begin(int monitor) {
    dprintf(monitor, "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n");
    hear(monitor, "qmp_capabilities");
    works("its own files before it has begun", open("/usr/bin/env", O_RDONLY) >= 0);
    works("what only its start needs, before", reads("kernel", O_RDONLY));
    shut("what only its start needs, to write", open(in_base("kernel"), O_RDWR));
    dprintf(monitor, "{\"return\": {}}\r\n");
    hear(monitor, "query-status");
    dprintf(monitor, "{\"return\": {\"status\": \"prelaunch\"}}\r\n");
    hear(monitor, "cont");
    shut("its own files from then on", open("/usr/bin/env", O_RDONLY));
    shut("what only its start needs", open(in_base("kernel"), O_RDONLY));
}

/* A guard that is broken tries when it is asked for a socket. */
static void have_guard_try(void) {
    /* The memory that names are read from was opened before. */
    works("what only its start needs", reads("kernel", O_RDONLY));
    begin(5);
    works("a layer", reads("vm/disk.1", O_RDWR));
    works("the socket that saves it", connect_to(in_base("vm/s.mig"), SOCK_STREAM, 0) == 0);
    struct sockaddr_un port = address(in_base("vm/s.p1"));
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    works("a client's port", bind(client, (struct sockaddr *)&port, sizeof port) == 0 && listen(client, 1) == 0);
    works("to remove it", unlink(port.sun_path) == 0);
}

/* What a broken QEMU does without end, and its guard with it. */
static void flood(pid_t guard, bool of_opens, int times) {
    begin(5);
    for (int i = 0; i < times; i++) {
        if (of_opens) shut("a file of the user", open(in_base("secret"), O_RDONLY));
        else shut("a signal to its guard", kill(guard, 0));
    }
}

/* By Landlock alone, as far as this kernel has it: its version, or 0. */
static void reduced(pid_t guard) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    enum { TRUNCATES = 3, NETWORK = 4, SCOPES = 6 };
    works("what is granted to read", reads("image", O_RDONLY));
    works("a layer", reads("vm/disk.1", O_RDWR));
    works("memory of a template", reads("memory", O_RDWR));
    struct sockaddr_un port = address(in_base("vm/s.p1"));
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    works("a client's port", bind(client, (struct sockaddr *)&port, sizeof port) == 0 && listen(client, 1) == 0);
    works("to remove it", unlink(port.sun_path) == 0);
    if (version < 1) return;
    shut("a file of the host", open("/etc/passwd", O_RDONLY));
    shut("the directory of the host", open("/", O_RDONLY | O_DIRECTORY));
    shut("a program of the system, to write", open("/usr/bin/env", O_WRONLY));
    shut("memory by /proc", open("/proc/self/mem", O_RDWR));
    shut("a file of the user", open(in_base("secret"), O_RDONLY));
    shut("a file of another VM", open(in_base("other/disk.0"), O_RDONLY));
    shut("a name with ..", open(in_base("vm/../secret"), O_RDONLY));
    shut("a link that looks like a layer", open(in_base("vm/disk.3"), O_RDONLY));
    shut("what is granted to read, to write", open(in_base("image"), O_RDWR));
    shut("a new file", open(in_base("vm/disk.9"), O_RDWR | O_CREAT, 0600));
    shut("a file without a name", open(in_base("other"), O_RDWR | O_TMPFILE, 0600));
    shut("to remove", unlink(in_base("secret")));
    shut("to rename", rename(in_base("secret"), in_base("vm/disk.5")));
    shut("to link", link(in_base("secret"), in_base("vm/disk.5")));
    shut("to make a link", symlink("/etc/passwd", in_base("vm/disk.5")));
    shut("to make a directory", mkdir(in_base("vm/d"), 0700));
    if (version >= TRUNCATES) shut("to cut off by name", truncate(in_base("secret"), 0));
    if (version >= NETWORK) {
        struct sockaddr_in host = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr = {htonl(INADDR_LOOPBACK)}};
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        shut("TCP", connect(fd, (struct sockaddr *)&host, sizeof host) != 0 && errno == EACCES ? -1 : 0);
        host.sin_port = 0;
        shut("a port of the host", bind(fd, (struct sockaddr *)&host, sizeof host) != 0 && errno == EACCES ? -1 : 0);
    }
    if (version >= SCOPES) shut("a signal to its guard", kill(guard, 0));
}

struct call {
    const char *name;
    long number;
};

/* What no QEMU calls. */
static const struct call DEADLY[] = {
    {"ptrace", SYS_ptrace}, {"process_vm_readv", SYS_process_vm_readv}, {"process_vm_writev", SYS_process_vm_writev},
    {"bpf", SYS_bpf}, {"perf_event_open", SYS_perf_event_open}, {"mount", SYS_mount}, {"umount2", SYS_umount2},
    {"pivot_root", SYS_pivot_root}, {"chroot", SYS_chroot}, {"unshare", SYS_unshare}, {"setns", SYS_setns}, {"keyctl", SYS_keyctl},
    {"add_key", SYS_add_key}, {"request_key", SYS_request_key}, {"userfaultfd", SYS_userfaultfd}, {"init_module", SYS_init_module},
    {"finit_module", SYS_finit_module}, {"kexec_load", SYS_kexec_load}, {"open_by_handle_at", SYS_open_by_handle_at},
    {"name_to_handle_at", SYS_name_to_handle_at}, {"pidfd_getfd", SYS_pidfd_getfd}, {"process_madvise", SYS_process_madvise},
    {"kcmp", SYS_kcmp}, {"reboot", SYS_reboot}, {"swapon", SYS_swapon}, {"modify_ldt", SYS_modify_ldt}, {"open_tree", SYS_open_tree},
    {"move_mount", SYS_move_mount}, {"fsopen", SYS_fsopen}, {"fsmount", SYS_fsmount}, {"mount_setattr", SYS_mount_setattr},
    {"x32", 0x40000000 | SYS_getpid}, {"i386", -1},
};

enum { DEADLY_CALLS = sizeof DEADLY / sizeof *DEADLY };

static void list_deadly(void) {
    for (size_t i = 0; i < DEADLY_CALLS; i++) printf("%s\n", DEADLY[i].name);
}

/* Says what comes of requests to KVM, of a file that is no KVM: ENOTTY of those that reach it. */
static void kvm(int phase) {
    static const struct {
        const char *name;
        unsigned request;
    } requests[] = {{"create", KVM_CREATE_VM}, {"run", KVM_RUN}, {"xen", KVM_XEN_HVM_CONFIG}};
    int fd = open("/dev/null", O_RDONLY);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        errno = 0;
        int result = ioctl(fd, requests[i].request, 0);
        const char *what = errno == ENOTTY ? "reached" : errno == EPERM ? "refused" : "else";
        printf("kvm: %d %s %s %u\n", phase, requests[i].name, result < 0 ? what : "done", requests[i].request);
    }
    close(fd);
}

static void deadly(const char *call) {
    for (size_t i = 0; i < DEADLY_CALLS; i++) {
        if (strcmp(call, DEADLY[i].name) != 0) continue;
        if (DEADLY[i].number < 0) __asm__ volatile("int $0x80" : : "a"(20));
        else syscall(DEADLY[i].number, 0, 0, 0, 0, 0, 0);
    }
    printf("OPEN: %s\n", call);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc == 2 && strcmp(argv[1], "deadly") == 0) {
        list_deadly();
        return 0;
    }
    if (argc == 2) return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0 ? 0 : 1; /* whether the kernel has Landlock */
    base = argv[1];
    pid_t guard = atoi(argv[2]);
    shut("a descriptor of those that started its guard", fcntl(OF_STARTER, F_GETFD));
    if (argc > 3 && strcmp(argv[3], "reduced") == 0) {
        reduced(guard);
        printf("done\n");
        return 0;
    }
    if (argc > 3 && strcmp(argv[3], "broken") == 0) {
        have_guard_try();
        printf("done\n");
        return 0;
    }
    if (argc > 4) {
        flood(guard, strcmp(argv[3], "opens") == 0, atoi(argv[4]));
        printf("done\n");
        return 0;
    }
    if (argc > 3) {
        deadly(argv[3]);
        return 0;
    }
    printf("ids: %d %d, %d more\n", (int)getuid(), (int)getgid(), getgroups(0, NULL));
    works("what only its start needs", reads("kernel", O_RDONLY));
    for (int phase = 0; phase < 2; phase++) {
        kvm(phase);
        files();
        names();
        sockets();
        processes(guard);
        race();
        if (phase == 0) begin(5);
        atomic_store(&over, false);
    }
    printf("done\n");
}
