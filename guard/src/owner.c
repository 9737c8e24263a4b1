#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

bool owner_there(int pipe) {
    char bytes[64];
    ssize_t n = read(pipe, bytes, sizeof bytes);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static bool exists(int directory, const char *note) {
    return faccessat(directory, note, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

enum ownership ownership(int directory, bool kill) {
    /* Asked before the lock too, so that who adopts a detached or pooled VM never meets the guard's lock. */
    if (exists(directory, "detached")) return DETACHED;
    if (exists(directory, "pooled")) return POOLED;
    int fd = openat(directory, "owner.lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? ABANDONED : OWNED;
    if (flock(fd, (kill ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
        close(fd);
        return OWNED;
    }
    /* The last owner may have given it away just before it let go. */
    bool given = exists(directory, "detached");
    bool pooled = exists(directory, "pooled");
    if (given || pooled || !kill) close(fd);
    return given ? DETACHED : pooled ? POOLED : ABANDONED;
}

enum retirement retire(int directory) {
    if (renameat(directory, "pooled", directory, "retired") == 0) return RETIRED;
    return exists(directory, "claimed") ? CLAIMED : NOT_POOLED;
}
