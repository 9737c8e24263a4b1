#include "files/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/temp_cleanup.h"

/* An open /proc/self/fd, through which an unnamed file is linked; -1: there is none, files have temporary names. */
static int descriptors = -1;

void temp_file_prepare(void) { descriptors = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC); }

/* Registers the name before the file exists: no other process has a file of a name that was drawn just now. */
static bool draw_name(struct temp_file *temp) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return false;
    snprintf(temp->temporary, sizeof temp->temporary, ".cloche-%016llx", (unsigned long long)number);
    temp_cleanup_register(temp->directory, temp->temporary, -1);
    return true;
}

bool temp_file_create(struct temp_file *temp, int directory) {
    *temp = (struct temp_file){.directory = directory, .fd = -1};
    if (descriptors >= 0) temp->fd = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (temp->fd >= 0) return true;
    /* The file system cannot do it, or nothing can be written here; then this says why. */
    if (!draw_name(temp)) return false;
    temp->fd = openat(directory, temp->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return temp->fd >= 0;
}

bool temp_file_create_link(struct temp_file *temp, int directory, const char *target) {
    *temp = (struct temp_file){.directory = directory, .fd = -1};
    return draw_name(temp) && symlinkat(target, directory, temp->temporary) == 0;
}

bool temp_file_create_node(struct temp_file *temp, int directory, mode_t mode, dev_t device) {
    *temp = (struct temp_file){.directory = directory, .fd = -1};
    return draw_name(temp) && mknodat(directory, temp->temporary, mode, device) == 0;
}

static bool take_name(struct temp_file *temp) {
    char number[16];
    snprintf(number, sizeof number, "%d", temp->fd);
    return draw_name(temp) &&
           linkat(descriptors, number, temp->directory, temp->temporary, AT_SYMLINK_FOLLOW) == 0;
}

bool temp_file_publish(struct temp_file *temp, const char *name) {
    if (temp->temporary[0] == '\0' && !take_name(temp)) return false;
    int directory = temp->directory;
    if (renameat(directory, temp->temporary, directory, name) != 0) {
        if (errno != EISDIR || unlinkat(directory, name, AT_REMOVEDIR) != 0 ||
            renameat(directory, temp->temporary, directory, name) != 0) {
            return false;
        }
    }
    temp_cleanup_forget();
    return true;
}
