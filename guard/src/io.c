#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

bool write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

bool write_durably(int directory, const char *name, const char *bytes, size_t length) {
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.tmp", name);
    int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool written = write_all(fd, bytes, length) && fsync(fd) == 0;
    int error = errno;
    close(fd);
    if (!written) {
        unlinkat(directory, temporary, 0);
        errno = error;
        return false;
    }
    return renameat(directory, temporary, directory, name) == 0 && fsync(directory) == 0;
}
