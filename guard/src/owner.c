#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

void owner_read(struct owner *owner, int pipe) {
    char bytes[64];
    ssize_t n = read(pipe, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
        owner->gone = true;
        return;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == 'C') owner->claimed = true;
    }
}

static bool detached(int directory) {
    return faccessat(directory, "detached", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

enum ownership ownership(int directory) {
    /* Asked before the lock too, so that who adopts a detached VM never meets the guard's lock. */
    if (detached(directory)) return DETACHED;
    int fd = openat(directory, "owner.lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? ABANDONED : OWNED;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return OWNED;
    }
    /* The last owner may have detached it just before it let go. */
    if (!detached(directory)) return ABANDONED;
    close(fd);
    return DETACHED;
}
