#include "vm/secrets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/stat.h>
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

/* Also if root of the guest has changed it, no more is written than an agent has. */
static void overwrite(int directory, const char *name) {
    static const uint8_t zeros[SECRET_MAX];
    struct stat status;
    int fd = openat(directory, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        size_t length = status.st_size < SECRET_MAX ? (size_t)status.st_size : SECRET_MAX;
        ssize_t written = pwrite(fd, zeros, length, 0);
        (void)written; /* it goes all the same */
    }
    close(fd);
}

/* An image may have a directory of this name, which is left alone. */
static bool is_mounted(int directory) {
    struct statx facts;
    return syscall(SYS_statx, directory, "", AT_EMPTY_PATH, 0, &facts) == 0 &&
           (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool secrets_remove(void) {
    int directory = open(DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    if (!is_mounted(directory)) return close(directory) == 0;
    DIR *files = fdopendir(directory);
    if (files == NULL) return false;
    int left = SECRETS_MAX + 2; /* with . and .. */
    for (struct dirent *file; left > 0 && (file = readdir(files)) != NULL; left--) overwrite(directory, file->d_name);
    closedir(files);
    return umount2(DIRECTORY, MNT_DETACH | UMOUNT_NOFOLLOW) == 0;
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
    if (!secrets_remove()) return false;
    return syscall(SYS_move_mount, mounted, "", AT_FDCWD, DIRECTORY, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}
