#include "holds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "fail.h"

void hold_all(const struct options *options) {
    for (int i = 0; i < options->hold_count; i++) {
        /* Not closed: the lock belongs to this open descriptor. */
        int fd = open(options->hold[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) != 0) fail("cannot hold %s: %s", options->hold[i], strerror(errno));
    }
}
