#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define SKIP_UNLESS_NOT(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0)
#define LOAD_ARGUMENT(index) LOAD(args[index])
#define HAS_NONE_OF(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0)
/* What follows, of so many instructions, is for one call alone. */
#define ONLY_FOR(call, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, count)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(call) SKIP_UNLESS(SYS_##call), RETURN(SECCOMP_RET_ALLOW)

/* What it does from then on: files, timers and signals of its own, and Unix sockets for the program. */
static const int OF_GUARDS[] = {
    /* descriptors and files, which it opens for the program too */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_fcntl, SYS_dup, SYS_dup2,
    SYS_dup3, SYS_open, SYS_openat, SYS_fstat, SYS_stat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_statfs, SYS_access,
    SYS_faccessat, SYS_faccessat2, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_flock,
    /* notes, records, logs that are turned; sockets whose names it removes */
    SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2,
    /* the monitor, and the sockets that it makes for the program; which, is looked at below */
    SYS_bind, SYS_connect, SYS_sendto, SYS_sendmsg, SYS_recvfrom, SYS_recvmsg,
    /* waiting, and the end of its children, by their pidfds */
    SYS_poll, SYS_ppoll, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_waitid, SYS_wait4, SYS_pidfd_send_signal,
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_time, SYS_restart_syscall, SYS_sched_yield,
    /* what the C library needs for memory, threads and signals */
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn,
    SYS_set_robust_list, SYS_rseq, SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getrandom, SYS_exit, SYS_exit_group,
};

bool confine_guard(void) {
    enum { CALLS = sizeof OF_GUARDS / sizeof *OF_GUARDS, X32 = 0x40000000, OF_SECCOMP = 0x2100 };
    static const struct sock_filter first[] = {
        LOAD(arch), SKIP_UNLESS_NOT(AUDIT_ARCH_X86_64), RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    static const struct sock_filter last[] = {
        /* Memory that can be executed is not made. */
        ONLY_FOR(SYS_mmap, 4), LOAD_ARGUMENT(2), HAS_NONE_OF(PROT_EXEC), RETURN(SECCOMP_RET_ALLOW), REFUSE,
        ONLY_FOR(SYS_mprotect, 4), LOAD_ARGUMENT(2), HAS_NONE_OF(PROT_EXEC), RETURN(SECCOMP_RET_ALLOW), REFUSE,
        ONLY_FOR(SYS_socket, 4), LOAD_ARGUMENT(0), SKIP_UNLESS(AF_UNIX), RETURN(SECCOMP_RET_ALLOW), REFUSE,
        /* The broker's answers. */
        ONLY_FOR(SYS_ioctl, 5), LOAD_ARGUMENT(1), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00), SKIP_UNLESS(OF_SECCOMP),
        RETURN(SECCOMP_RET_ALLOW), REFUSE,
        REFUSE,
    };
    struct sock_filter rules[2 * CALLS + sizeof first / sizeof *first + sizeof last / sizeof *last];
    unsigned short count = sizeof first / sizeof *first;
    memcpy(rules, first, sizeof first);
    for (int i = 0; i < CALLS; i++) {
        rules[count++] = (struct sock_filter)SKIP_UNLESS((unsigned)OF_GUARDS[i]);
        rules[count++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    }
    memcpy(rules + count, last, sizeof last);
    struct sock_fprog program = {.len = (unsigned short)(count + sizeof last / sizeof *last), .filter = rules};
    /* Of all its threads. */
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

static bool confine_child(struct sock_filter *rules, unsigned short count) {
    struct sock_fprog program = {.len = count, .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool confine_to_relaying(void) {
    struct sock_filter rules[] = {
        LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr), ALLOW(read), ALLOW(write), ALLOW(pwrite64), ALLOW(poll), ALLOW(sendto), ALLOW(recvfrom), ALLOW(clock_gettime),
        ALLOW(restart_syscall), ALLOW(exit_group), RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    return confine_child(rules, sizeof rules / sizeof *rules);
}

bool confine_to_forwarding(void) {
    struct sock_filter rules[] = {
        LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr), ALLOW(read), ALLOW(write), ALLOW(pwrite64), ALLOW(poll), ALLOW(accept4), ALLOW(recvmsg), ALLOW(shutdown),
        ALLOW(setsockopt), ALLOW(close), ALLOW(clock_gettime), ALLOW(madvise), ALLOW(restart_syscall), ALLOW(exit_group),
        RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    return confine_child(rules, sizeof rules / sizeof *rules);
}

bool confine_to_binding(void) {
    struct sock_filter rules[] = {
        LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr), ALLOW(socket), ALLOW(setsockopt), ALLOW(bind), ALLOW(listen), ALLOW(getsockname), ALLOW(recvfrom),
        ALLOW(sendmsg), ALLOW(close), ALLOW(restart_syscall), ALLOW(exit_group), RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    return confine_child(rules, sizeof rules / sizeof *rules);
}
