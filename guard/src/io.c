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

/* The file under a temporary name; -1 with errno. */
static int write_temporary(int directory, const char *temporary, const char *bytes, size_t length, bool sync) {
    int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    if (write_all(fd, bytes, length) && (!sync || fsync(fd) == 0)) return fd;
    int error = errno;
    close(fd);
    unlinkat(directory, temporary, 0);
    errno = error;
    return -1;
}

static int write_and_rename(int directory, const char *name, const char *bytes, size_t length, bool sync) {
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.tmp", name);
    int fd = write_temporary(directory, temporary, bytes, length, sync);
    if (fd < 0) return -1;
    if (renameat(directory, temporary, directory, name) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

bool write_durably(int directory, const char *name, const char *bytes, size_t length) {
    int fd = write_and_rename(directory, name, bytes, length, true);
    if (fd < 0) return false;
    close(fd);
    return fsync(directory) == 0;
}

int write_whole(int directory, const char *name, const char *bytes, size_t length) {
    return write_and_rename(directory, name, bytes, length, false);
}

void make_durable(int directory, int file) {
    fsync(file);
    fsync(directory);
    close(file);
}
