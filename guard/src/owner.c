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
        if (bytes[i] == 'D') owner->detached = true;
        if (bytes[i] == 'C') owner->claimed = true;
    }
}

bool owner_lock_is_free(int directory) {
    int fd = openat(directory, "owner.lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    close(fd);
    return false;
}
