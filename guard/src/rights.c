#include "rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is higher than a limit that is there already stays as it is. */
static bool limit(int resource, uint64_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return false;
    if (now.rlim_max <= most) return true;
    struct rlimit lower = {most, most};
    return setrlimit(resource, &lower) == 0;
}

bool limits_set(const struct limits *limits) {
    /* Kept over the execution; it kills otherwise, and a write beyond the limit is to fail like one to a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) &&
           (limits->descriptors == 0 || limit(RLIMIT_NOFILE, limits->descriptors)) &&
           (limits->threads == 0 || limit(RLIMIT_NPROC, limits->threads)) &&
           (limits->file_bytes == 0 || limit(RLIMIT_FSIZE, limits->file_bytes)) &&
           (limits->address_bytes == 0 || limit(RLIMIT_AS, limits->address_bytes));
}

static bool has_capabilities(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
    if (syscall(SYS_capget, &head, sets) != 0) return true;
    return (sets[0].permitted | sets[1].permitted | sets[0].inheritable | sets[1].inheritable) != 0;
}

bool rights_give_up(void) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    if (geteuid() != 0 && !has_capabilities()) return true;
    /* Without the capability to set these, execution gives root's program no more than the sets that are left below. */
    (void)prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED);
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++) {
        (void)prctl(PR_CAPBSET_DROP, capability);
    }
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    return syscall(SYS_capset, &head, none) == 0;
}
