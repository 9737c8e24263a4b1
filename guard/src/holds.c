#include "holds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

/* A lock belongs to its open descriptor, which therefore stays. */
static bool lock(const char *path, int kind) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    if (flock(fd, kind | LOCK_NB) == 0) return true;
    int error = errno;
    close(fd);
    errno = error;
    return false;
}

/*
 * A process that asks whether a file is owned holds it shared for an instant (docs/on-disk.md). On a host with a load of 20
 * that process may lose its processor just then, for more than a tenth of a second.
 */
static bool lock_alone(const char *path) {
    enum { LOOKS = 1000 };
    static const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < LOOKS; i++) {
        if (lock(path, LOCK_EX)) return true;
        if (errno != EWOULDBLOCK) return false;
        nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

void hold_all(const struct options *options) {
    for (int i = 0; i < options->hold_count; i++) {
        if (!lock(options->hold[i], LOCK_SH)) fail("cannot hold %s: %s", options->hold[i], strerror(errno));
    }
    for (int i = 0; i < options->own_count; i++) {
        if (!lock_alone(options->own[i])) fail("cannot own %s: %s", options->own[i], strerror(errno));
    }
}
