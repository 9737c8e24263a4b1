/* Runs a command in another root: enter [--user] [--container] [--old] [--volume DIR] ROOT COMMAND...
 *
 * With a mount, process and IPC namespace of its own, which ends with the command. --user: as user 61234 without groups.
 * --container: as a container engine's defaults have it: a read-only root but for DIR (a path in ROOT, without the first slash)
 * and /dev/shm, a network namespace of its own, 14 capabilities for root, and a filter that refuses namespaces, mounts and more with EPERM.
 * --old: a filter answers ENOSYS for what Linux 5.5 lacks. Needs root. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER = 61234, RULES_MAX = 256, FAILED = 99, WAIT_KILLABLE = 1 << 5 };

/* moby/profiles/seccomp/default.json: what needs a capability that containers lack. */
static const int REFUSED[] = {
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_unshare, SYS_setns, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig,
    SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key,
    SYS_request_key, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_open_by_handle_at, SYS_quotactl,
    SYS_get_mempolicy, SYS_set_mempolicy, SYS_mbind, SYS_move_pages, SYS_kcmp, SYS_acct, SYS_swapon, SYS_swapoff, SYS_reboot,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_iopl, SYS_ioperm,
    SYS_settimeofday, SYS_clock_settime, SYS_vhangup, SYS_lookup_dcookie, SYS_fanotify_init, SYS_sethostname, SYS_setdomainname,
    SYS_syslog, SYS_vmsplice,
};

/* Of Linux 5.6 to 6.10, and clone3 of 5.3 is refused anyway. */
static const int LACKING[] = {
    SYS_close_range, SYS_openat2, SYS_epoll_pwait2, SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
    SYS_memfd_secret, SYS_process_mrelease, SYS_futex_waitv, 450 /* set_mempolicy_home_node */, 451 /* cachestat */,
    452 /* fchmodat2 */, 462 /* mseal */,
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct sock_filter rules[RULES_MAX];
static unsigned short count;

static void rule(struct sock_filter added) { rules[count++] = added; }

static void load(size_t offset) { rule((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset)); }

static void answer(int error) { rule((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error)); }

static void unless(unsigned value, unsigned char skipped) {
    rule((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped));
}

static void for_call(int call, int error) {
    unless((unsigned)call, 1);
    answer(error);
}

/* Four rules for a call with any of these bits in an argument's lower half. */
static void for_bits(int call, int index, unsigned bits, int error) {
    unless((unsigned)call, 4);
    load(offsetof(struct seccomp_data, args) + (size_t)index * sizeof(__u64));
    rule((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    answer(error);
    load(offsetof(struct seccomp_data, nr));
}

static void for_argument(int call, int index, unsigned value, int error) {
    unless((unsigned)call, 4);
    load(offsetof(struct seccomp_data, args) + (size_t)index * sizeof(__u64));
    unless(value, 1);
    answer(error);
    load(offsetof(struct seccomp_data, nr));
}

static void die(const char *what) {
    fprintf(stderr, "enter: %s: %s\n", what, strerror(errno));
    _exit(FAILED);
}

static void filter(bool container, bool old) {
    load(offsetof(struct seccomp_data, arch));
    rule((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    rule((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    load(offsetof(struct seccomp_data, nr));
    for_call(SYS_clone3, ENOSYS); /* its flags are in memory, where no filter sees them */
    if (container) {
        for (size_t i = 0; i < COUNT(REFUSED); i++) for_call(REFUSED[i], EPERM);
        for_bits(SYS_clone, 0,
                 CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET, EPERM);
        for_argument(SYS_socket, 0, AF_VSOCK, EPERM);
    }
    if (old) {
        for (size_t i = 0; i < COUNT(LACKING); i++) for_call(LACKING[i], ENOSYS);
        for_bits(SYS_seccomp, 1, WAIT_KILLABLE, EINVAL); /* of 5.19 */
        for_argument(SYS_ioctl, 1, (unsigned)SECCOMP_IOCTL_NOTIF_ADDFD, EINVAL); /* for its flag of 5.14, which is in memory */
    }
    rule((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    struct sock_fprog program = {.len = count, .filter = rules};
    /* As root it is set without the promise of no new privileges, which a container does not make either. */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) die("seccomp");
}

static void mounted(const char *from, const char *to, const char *type, unsigned long flags, const char *options) {
    if (mount(from, to, type, flags, options) != 0) die(to);
}

static void rooms(const char *root, bool container, const char *volume) {
    mounted("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
    mounted(root, root, NULL, MS_BIND, NULL);
    if (chdir(root) != 0) die(root);
    mounted("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    if (container) {
        mkdir("dev/shm", 01777);
        mounted("shm", "dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64m,mode=1777");
        mounted("sysfs", "sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL);
        mounted("proc/sys", "proc/sys", NULL, MS_BIND, NULL);
        mounted("none", "proc/sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
        if (volume != NULL) mounted(volume, volume, NULL, MS_BIND, NULL);
    }
    if (syscall(SYS_pivot_root, ".", ".") != 0) die("pivot_root");
    if (umount2(".", MNT_DETACH) != 0) die("umount");
    if (chdir("/") != 0) die("/");
    if (container) mounted("none", "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
}

/* Those that container engines leave to root. */
static void drop_capabilities(void) {
    unsigned long long kept = 0;
    const int list[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID,
                        CAP_SETFCAP, CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE};
    for (size_t i = 0; i < COUNT(list); i++) kept |= 1ULL << list[i];
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if ((kept >> capability & 1) == 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) die("bounding set");
    }
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {.effective = (unsigned)kept, .permitted = (unsigned)kept},
        {.effective = (unsigned)(kept >> 32), .permitted = (unsigned)(kept >> 32)},
    };
    if (syscall(SYS_capset, &head, data) != 0) die("capset");
}

int main(int argc, char **argv) {
    bool user = false, container = false, old = false;
    const char *volume = NULL;
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--user") == 0) user = true;
        else if (strcmp(argv[at], "--container") == 0) container = true;
        else if (strcmp(argv[at], "--old") == 0) old = true;
        else if (strcmp(argv[at], "--volume") == 0 && at + 1 < argc) volume = argv[++at];
        else argc = 0;
    }
    if (argc - at < 2) {
        fprintf(stderr, "usage: enter [--user] [--container] [--old] [--volume DIR] ROOT COMMAND...\n");
        return FAILED;
    }
    int spaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (container ? CLONE_NEWNET : 0);
    if (unshare(spaces) != 0) die("unshare");
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child > 0) {
        int status;
        while (waitpid(child, &status, 0) < 0) {
            if (errno != EINTR) die("wait");
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) die("prctl");
    rooms(argv[at], container, volume);
    if (container || old) filter(container, old);
    if (container) drop_capabilities();
    if (user && (setgroups(0, NULL) != 0 || setresgid(USER, USER, USER) != 0 || setresuid(USER, USER, USER) != 0)) die("user");
    execv(argv[at + 1], argv + at + 1);
    die(argv[at + 1]);
}
