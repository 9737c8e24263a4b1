/* old WHAT PROGRAM...: runs a program on a kernel that lacks what older ones lack, by a filter that answers as they do. WHAT is
 * "5.14" (Landlock is switched off, and what came since is not there), "listener" (seccomp has none), "seccomp" or "pidfd". */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX = 128, FLAG_NEW_LISTENER = 1 << 3, FLAG_WAIT_KILLABLE = 1 << 5 };

static struct sock_filter rules[MAX];
static unsigned short count;

static void put(struct sock_filter rule) { rules[count++] = rule; }

static void lacks(long call) {
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
}

/* Of seccomp; a flag that is not known is an invalid argument. */
static void lacks_flag(unsigned flag) {
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 4));
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])));
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL));
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    /* All that the guard could do without, in each case. */
    static const long calls[] = {SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self, SYS_close_range,
                                 SYS_openat2, SYS_faccessat2, SYS_clone3, SYS_pidfd_getfd, SYS_epoll_pwait2, SYS_io_uring_setup,
                                 SYS_mount_setattr, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_process_madvise, SYS_rseq};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) lacks(calls[i]);
    if (strcmp(argv[1], "pidfd") == 0) lacks(SYS_pidfd_open);
    if (strcmp(argv[1], "seccomp") == 0) lacks(SYS_seccomp);
    lacks_flag(strcmp(argv[1], "listener") == 0 ? FLAG_NEW_LISTENER : FLAG_WAIT_KILLABLE);
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    struct sock_fprog program = {.len = count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("old");
        return 1;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
