#include "secrets.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char DIRECTORY[] = "/run/secrets";

static bool write_secret(int directory, const struct secret *secret) {
    int fd = openat(directory, secret->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (fd < 0) return false;
    bool good = write(fd, secret->value.bytes, secret->value.length) == (ssize_t)secret->value.length;
    return fchmod(fd, 0400) == 0 && close(fd) == 0 && good;
}

/* The files are written before the file system has a path, and then appear all at once. */
bool secrets_replace(const struct secret *secrets, uint32_t count) {
    int context = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
    bool good = context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "source", "tmpfs", 0) == 0 &&
                syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "mode", "0755", 0) == 0 &&
                syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0;
    int mounted = !good ? -1
                        : (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
                                       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (mounted < 0) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!write_secret(mounted, &secrets[i])) return false;
    }
    mkdir("/run", 0755);
    mkdir(DIRECTORY, 0755);
    umount2(DIRECTORY, MNT_DETACH | UMOUNT_NOFOLLOW); /* of an earlier frame; if there is none, it fails */
    return syscall(SYS_move_mount, mounted, "", AT_FDCWD, DIRECTORY, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}
