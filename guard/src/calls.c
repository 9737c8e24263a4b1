#include "calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/kvm.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { RULES_MAX = 1024, X32 = 0x40000000 };

/* Own memory, own descriptors, own threads, time: they reach nothing that the process does not have already. */
static const int ALLOWED[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
    SYS_pwritev2, SYS_close, SYS_close_range, SYS_fstat, SYS_lseek, SYS_dup, SYS_dup2, SYS_dup3, SYS_pipe, SYS_pipe2,
    SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_wait,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_fallocate, SYS_ftruncate,
    SYS_fadvise64, SYS_flock, SYS_fstatfs, SYS_copy_file_range, SYS_splice, SYS_tee, SYS_vmsplice, SYS_sendfile,
    SYS_getdents64, SYS_readahead,
    /* memory */
    SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise, SYS_msync, SYS_mincore, SYS_brk, SYS_mlock, SYS_mlock2,
    SYS_munlock, SYS_memfd_create, SYS_membarrier, SYS_get_mempolicy, SYS_set_mempolicy, SYS_mbind, SYS_pkey_alloc,
    SYS_pkey_free, SYS_pkey_mprotect,
    /* threads and signals of its own */
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_rseq, SYS_arch_prctl, SYS_gettid,
    SYS_getpid, SYS_getppid, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending,
    SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_sched_getattr, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority,
    SYS_exit, SYS_exit_group, SYS_restart_syscall, SYS_pause, SYS_getcpu, SYS_seccomp,
    /* time and facts */
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_time, SYS_times,
    SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime, SYS_eventfd, SYS_eventfd2, SYS_signalfd, SYS_signalfd4, SYS_getrandom,
    SYS_uname, SYS_sysinfo, SYS_getrlimit, SYS_getrusage, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_umask, SYS_capget,
    /* sockets that it has: those of descriptors, and of names that are granted */
    SYS_listen, SYS_accept, SYS_accept4, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_sendto,
    SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown,
};

/* Facts about descriptors, which C libraries ask for by an empty name that no filter sees, for each library that a program loads; and
 * about names, of which an empty room has none. */
static const int OF_ROOM[] = {SYS_newfstatat, SYS_statx, SYS_stat, SYS_lstat, SYS_statfs};

/* No QEMU calls them: it is one no longer. */
static const int DEADLY[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_bpf, SYS_perf_event_open, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_userfaultfd,
    SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_open_by_handle_at,
    SYS_name_to_handle_at, SYS_pidfd_getfd, SYS_process_madvise, SYS_kcmp, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_modify_ldt, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount, SYS_fspick, SYS_mount_setattr,
};

/* Asked for where others do without. clone3 and io_uring have their arguments in memory, where no filter sees them. */
static const int UNKNOWN[] = {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

/* Locks, flags and duplicates; not F_SETOWN and F_SETSIG, by which a descriptor sends signals to any process of the user. */
static const unsigned FCNTL[] = {0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1033, 1034};

/* FIONREAD, FIONBIO, FIOCLEX, FIONCLEX; TCGETS, TCSETS (of what is no terminal); BLKSECTGET, BLKGETSIZE64, BLKSSZGET,
 * BLKPBSZGET; FS_IOC_GETFLAGS, FS_IOC_FSGETXATTR, XFS_IOC_DIOINFO, FS_IOC_FIEMAP. Not FIOSETOWN: as above. */
static const unsigned IOCTL[] = {0x541b, 0x5421, 0x5451, 0x5450, 0x5401, 0x5402, 0x1267, 0x80081272, 0x1268, 0x127b,
                                 0x80086601, 0x801c581f, 0x800c581e, 0xc020660b};

/* What accel/kvm and target/i386/kvm of QEMU 7.2 to 10.0 call: of the device, of a VM, of a processor. Not of migrations by a dirty
 * ring, of encrypted guests, of guests of Xen and Hyper-V, of debuggers, of devices of the host: no VM of ours has them. */
static const unsigned KVM_IOCTL[] = {
    KVM_GET_API_VERSION, KVM_CHECK_EXTENSION, KVM_GET_VCPU_MMAP_SIZE, KVM_GET_MSR_INDEX_LIST, KVM_GET_MSR_FEATURE_INDEX_LIST,
    KVM_GET_SUPPORTED_CPUID, KVM_GET_EMULATED_CPUID, KVM_GET_SUPPORTED_HV_CPUID, KVM_X86_GET_MCE_CAP_SUPPORTED,
    /* of a VM */
    KVM_SET_USER_MEMORY_REGION, KVM_SET_TSS_ADDR, KVM_SET_IDENTITY_MAP_ADDR, KVM_SET_BOOT_CPU_ID, KVM_ENABLE_CAP,
    KVM_IRQ_LINE, KVM_IRQ_LINE_STATUS, KVM_SIGNAL_MSI, KVM_GET_IRQCHIP, KVM_SET_IRQCHIP, KVM_SET_GSI_ROUTING, KVM_IRQFD,
    KVM_IOEVENTFD, KVM_GET_PIT2, KVM_SET_PIT2, KVM_GET_CLOCK, KVM_SET_CLOCK, KVM_GET_DIRTY_LOG, KVM_CLEAR_DIRTY_LOG,
    KVM_REGISTER_COALESCED_MMIO, KVM_UNREGISTER_COALESCED_MMIO, KVM_X86_SET_MSR_FILTER, KVM_SET_PMU_EVENT_FILTER,
    KVM_SET_DEVICE_ATTR, KVM_GET_DEVICE_ATTR, KVM_HAS_DEVICE_ATTR, KVM_GET_STATS_FD,
    /* of a processor */
    KVM_RUN, KVM_SET_SIGNAL_MASK, KVM_GET_REGS, KVM_SET_REGS, KVM_GET_SREGS, KVM_SET_SREGS, KVM_GET_SREGS2, KVM_SET_SREGS2,
    KVM_GET_MSRS, KVM_SET_MSRS, KVM_SET_CPUID2, KVM_GET_CPUID2, KVM_GET_FPU, KVM_SET_FPU, KVM_GET_XSAVE, KVM_GET_XSAVE2,
    KVM_SET_XSAVE, KVM_GET_XCRS, KVM_SET_XCRS, KVM_GET_LAPIC, KVM_SET_LAPIC, KVM_GET_MP_STATE, KVM_SET_MP_STATE,
    KVM_GET_VCPU_EVENTS, KVM_SET_VCPU_EVENTS, KVM_GET_DEBUGREGS, KVM_SET_DEBUGREGS, KVM_GET_NESTED_STATE,
    KVM_SET_NESTED_STATE, KVM_GET_TSC_KHZ, KVM_SET_TSC_KHZ, KVM_KVMCLOCK_CTRL, KVM_X86_SETUP_MCE,
    KVM_TPR_ACCESS_REPORTING, KVM_SET_VAPIC_ADDR, KVM_INTERRUPT, KVM_NMI, KVM_SMI,
};

/* What makes a VM and its parts, which only a start does. */
static const unsigned KVM_CREATES[] = {KVM_CREATE_VM, KVM_CREATE_VCPU, KVM_CREATE_IRQCHIP, KVM_CREATE_PIT2, KVM_CREATE_DEVICE};

/* PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_CAPBSET_READ, PR_SET_TIMERSLACK,
 * PR_GET_TIMERSLACK, PR_MCE_KILL, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_VMA. Not PR_SET_PDEATHSIG, by which it ends
 * with its guard. */
static const unsigned PRCTL[] = {3, 15, 16, 21, 22, 23, 29, 30, 33, 38, 39, 0x53564d41};

/* By a name, an id, or a descriptor's owner. */
static const int REACHING[] = {
    SYS_open, SYS_openat, SYS_openat2, SYS_creat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink,
    SYS_symlinkat, SYS_unlink, SYS_unlinkat, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_mknod, SYS_mknodat, SYS_chmod, SYS_fchmod,
    SYS_fchmodat, 452 /* fchmodat2 */, SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat, SYS_truncate, SYS_utime, SYS_utimes,
    SYS_utimensat, SYS_futimesat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
    SYS_fremovexattr, SYS_getxattr, SYS_lgetxattr, SYS_listxattr, SYS_llistxattr, SYS_chdir, SYS_fchdir, SYS_acct, SYS_quotactl,
    SYS_inotify_init, SYS_inotify_init1, SYS_inotify_add_watch, SYS_fanotify_init, SYS_fanotify_mark, SYS_uselib,
    SYS_socket, SYS_socketpair, SYS_bind, SYS_connect, SYS_fork, SYS_vfork, SYS_clone, SYS_execve, SYS_execveat, SYS_kill,
    SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_fcntl,
    SYS_prctl, SYS_prlimit64, SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler, SYS_sched_setparam,
    SYS_sched_setattr, SYS_sched_setaffinity, SYS_migrate_pages, SYS_move_pages, SYS_setpgid, SYS_shmget, SYS_shmat, SYS_shmctl,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop, SYS_mq_open, SYS_mq_unlink,
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_syslog,
    SYS_iopl, SYS_ioperm, SYS_vhangup, SYS_personality, SYS_landlock_create_ruleset,
};

/* mseal of Linux 6.10, the last that was looked at: of later ones it is not known what they reach. */
enum { LAST_KNOWN_CALL = 462 };

struct rules {
    struct sock_filter list[RULES_MAX];
    unsigned short count;
};

static void put(struct rules *r, struct sock_filter rule) { r->list[r->count++] = rule; }

static void load(struct rules *r, size_t field) { put(r, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)field)); }

static void end(struct rules *r, unsigned action) { put(r, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action)); }

/* Of what is loaded. */
static void end_if(struct rules *r, unsigned value, unsigned action) {
    put(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    end(r, action);
}

static void end_each(struct rules *r, const int *calls, size_t count, unsigned action) {
    for (size_t i = 0; i < count; i++) end_if(r, (unsigned)calls[i], action);
}

static size_t argument(int index) { return offsetof(struct seccomp_data, args) + (size_t)index * sizeof(uint64_t); }

/* Begins what is looked at for one call alone; its length is known at the end. */
static unsigned short only_for(struct rules *r, int call) {
    put(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 0));
    return (unsigned short)(r->count - 1);
}

static void ask(struct rules *r, unsigned short begun) {
    end(r, SECCOMP_RET_USER_NOTIF);
    r->list[begun].jf = (uint8_t)(r->count - begun - 1);
}

static void one_of(struct rules *r, int call, int index, const unsigned *values, size_t count) {
    unsigned short begun = only_for(r, call);
    load(r, argument(index));
    for (size_t i = 0; i < count; i++) end_if(r, values[i], SECCOMP_RET_ALLOW);
    ask(r, begun);
}

/* The lower half of an argument, of whose bits `mask` counts. */
static void if_masked(struct rules *r, int index, unsigned mask, unsigned value) {
    load(r, argument(index));
    put(r, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    end_if(r, value, SECCOMP_RET_ALLOW);
}

/* Datagrams of the family would reach other sockets without a connection. */
static void streams_of_unix(struct rules *r, int call) {
    unsigned short begun = only_for(r, call);
    load(r, argument(0));
    put(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 4));
    if_masked(r, 1, ~(unsigned)(SOCK_CLOEXEC | SOCK_NONBLOCK), SOCK_STREAM);
    ask(r, begun);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

_Static_assert(2 * (COUNT(IOCTL) + COUNT(KVM_IOCTL)) + 2 <= UINT8_MAX, "a jump of a filter is no longer");

static void build(struct rules *r, bool in_room) {
    load(r, offsetof(struct seccomp_data, arch));
    put(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    end(r, SECCOMP_RET_KILL_PROCESS);
    load(r, offsetof(struct seccomp_data, nr));
    put(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1));
    end(r, SECCOMP_RET_KILL_PROCESS);
    end_each(r, ALLOWED, COUNT(ALLOWED), SECCOMP_RET_ALLOW);
    if (in_room) end_each(r, OF_ROOM, COUNT(OF_ROOM), SECCOMP_RET_ALLOW);
    end_each(r, DEADLY, COUNT(DEADLY), SECCOMP_RET_KILL_PROCESS);
    end_each(r, UNKNOWN, COUNT(UNKNOWN), SECCOMP_RET_ERRNO | ENOSYS);
    one_of(r, SYS_fcntl, 1, FCNTL, COUNT(FCNTL));
    one_of(r, SYS_prctl, 0, PRCTL, COUNT(PRCTL));
    unsigned short begun = only_for(r, SYS_ioctl);
    load(r, argument(1));
    for (size_t i = 0; i < COUNT(IOCTL); i++) end_if(r, IOCTL[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < COUNT(KVM_IOCTL); i++) end_if(r, KVM_IOCTL[i], SECCOMP_RET_ALLOW);
    ask(r, begun);
    begun = only_for(r, SYS_clone);
    if_masked(r, 0, CLONE_THREAD | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
              CLONE_THREAD);
    ask(r, begun);
    streams_of_unix(r, SYS_socket);
    streams_of_unix(r, SYS_socketpair);
    begun = only_for(r, SYS_prlimit64);
    if_masked(r, 0, ~0U, 0);
    ask(r, begun);
    begun = only_for(r, SYS_tgkill);
    if_masked(r, 0, ~0U, (unsigned)getpid());
    ask(r, begun);
    end(r, SECCOMP_RET_USER_NOTIF);
}

bool calls_reach(int call) {
    for (size_t i = 0; i < COUNT(REACHING); i++) {
        if (call == REACHING[i]) return true;
    }
    return call > LAST_KNOWN_CALL;
}

bool calls_create(unsigned request) {
    for (size_t i = 0; i < COUNT(KVM_CREATES); i++) {
        if (request == KVM_CREATES[i]) return true;
    }
    return false;
}

int calls_confine(bool in_room) {
    static struct rules rules;
    rules.count = 0;
    build(&rules, in_room);
    struct sock_fprog program = {.len = rules.count, .filter = rules.list};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                            SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
    if (listener < 0 && errno == EINVAL) { /* before Linux 5.19 */
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    }
    return (int)listener;
}
