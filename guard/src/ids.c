#include "ids.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of each id that is taken one byte is locked. Nothing is left of a guard that was killed. */
static const char LOCKS[] = "/run/cloche-ids";

/* Above what systemd and containers give out. */
enum { FIRST = 0x70000000, COUNT = 65536 };

static bool has(const struct __user_cap_data_struct *sets, int capability) {
    return (sets[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

/* To become another user, and then to read the child's memory and to kill it. */
static bool may_change(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
    return syscall(SYS_capget, &head, sets) == 0 && has(sets, CAP_SETUID) && has(sets, CAP_SETGID) && has(sets, CAP_SYS_PTRACE) &&
           has(sets, CAP_KILL) && has(sets, CAP_DAC_OVERRIDE);
}

/* Whether the ids are of this namespace: a container may have some thousands alone. */
static bool exist(const char *map) {
    FILE *file = fopen(map, "re");
    unsigned long inside, outside, count;
    bool found = false;
    if (file == NULL) return false;
    while (!found && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3) {
        found = inside <= FIRST && FIRST + COUNT <= inside + count;
    }
    fclose(file);
    return found;
}

uid_t ids_take(const char **missing) {
    if (geteuid() != 0) return 0;
    *missing = "an id of its own: this root may not change users";
    if (!may_change()) return 0;
    *missing = "an id of its own: they do not exist in this namespace of users";
    if (!exist("/proc/self/uid_map") || !exist("/proc/self/gid_map")) return 0;
    int locks = open(LOCKS, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    *missing = "an id of its own: /run cannot be written";
    if (locks < 0) return 0;
    /* So that hardly any is tried that is taken. */
    int begin = getpid() % COUNT;
    for (int i = 0; i < COUNT; i++) {
        int offset = (begin + i) % COUNT;
        struct flock one = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
        if (fcntl(locks, F_OFD_SETLK, &one) == 0) return (uid_t)(FIRST + offset);
    }
    *missing = "an id of its own: all are taken";
    close(locks);
    return 0;
}

static bool map(pid_t child, const char *kind, uid_t id) {
    char path[64], lines[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)child, kind);
    int length = snprintf(lines, sizeof lines, "0 0 1\n%u %u 1\n", id, id);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool written = write(fd, lines, (size_t)length) == length;
    close(fd);
    return written;
}

bool ids_map(pid_t child, uid_t id) { return map(child, "uid_map", id) && map(child, "gid_map", id); }

bool ids_become(uid_t id) {
    return (syscall(SYS_setgroups, 0, NULL) == 0 || getgroups(0, NULL) == 0) && syscall(SYS_setresgid, id, id, id) == 0 &&
           syscall(SYS_setresuid, id, id, id) == 0;
}
