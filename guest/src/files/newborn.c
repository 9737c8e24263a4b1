#include "files/newborn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/leftover.h"

/* An open /proc/self/fd, through which an unnamed file is linked; -1: there is none, files have temporary names. */
static int descriptors = -1;

void newborn_prepare(void) { descriptors = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC); }

/* Registered before it exists: nobody else has a name that was drawn just now. */
static bool draw_name(struct newborn *newborn) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return false;
    snprintf(newborn->temporary, sizeof newborn->temporary, ".cloche-%016llx", (unsigned long long)number);
    leftover_is(newborn->directory, newborn->temporary, -1);
    return true;
}

bool newborn_file(struct newborn *newborn, int directory) {
    *newborn = (struct newborn){.directory = directory, .fd = -1};
    if (descriptors >= 0) newborn->fd = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (newborn->fd >= 0) return true;
    /* The file system cannot do it, or nothing can be written here; then this says why. */
    if (!draw_name(newborn)) return false;
    newborn->fd = openat(directory, newborn->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return newborn->fd >= 0;
}

bool newborn_link(struct newborn *newborn, int directory, const char *target) {
    *newborn = (struct newborn){.directory = directory, .fd = -1};
    return draw_name(newborn) && symlinkat(target, directory, newborn->temporary) == 0;
}

bool newborn_node(struct newborn *newborn, int directory, mode_t mode, dev_t device) {
    *newborn = (struct newborn){.directory = directory, .fd = -1};
    return draw_name(newborn) && mknodat(directory, newborn->temporary, mode, device) == 0;
}

static bool take_name(struct newborn *newborn) {
    char number[16];
    snprintf(number, sizeof number, "%d", newborn->fd);
    return draw_name(newborn) &&
           linkat(descriptors, number, newborn->directory, newborn->temporary, AT_SYMLINK_FOLLOW) == 0;
}

bool newborn_publish(struct newborn *newborn, const char *name) {
    if (newborn->temporary[0] == '\0' && !take_name(newborn)) return false;
    int directory = newborn->directory;
    if (renameat(directory, newborn->temporary, directory, name) != 0) {
        if (errno != EISDIR || unlinkat(directory, name, AT_REMOVEDIR) != 0 ||
            renameat(directory, newborn->temporary, directory, name) != 0) {
            return false;
        }
    }
    leftover_none();
    return true;
}
