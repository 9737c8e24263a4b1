#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "log.h"

/* From the kernel's fs/ext4/ext4.h; the number is one of blocks. */
#define EXT4_IOC_RESIZE_FS _IOW('f', 16, uint64_t)

static const char UPPER[] = "cloche-upper";

static bool is_upper(const char *name) {
    char path[300], serial[32] = {0};
    snprintf(path, sizeof path, "/sys/block/%s/serial", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, serial, sizeof serial - 1);
    close(fd);
    return n > 0 && strncmp(serial, UPPER, sizeof UPPER - 1) == 0 && strcspn(serial, "\n") == sizeof UPPER - 1;
}

/* The first by name that is one or is none. */
static bool find(bool upper, char path[32]) {
    char first[16] = "";
    DIR *directory = opendir("/sys/block");
    if (directory == NULL) return false;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, "vd", 2) != 0 || strlen(name) != 3 || is_upper(name) != upper) continue;
        if (first[0] == '\0' || strcmp(name, first) < 0) strcpy(first, name);
    }
    closedir(directory);
    snprintf(path, 32, "/dev/%s", first);
    return first[0] != '\0';
}

bool disk_find_image(char path[32]) { return find(false, path); }

bool disk_find_upper(char path[32]) { return find(true, path); }

void disk_grow(int directory, const char *path) {
    struct statfs status;
    uint64_t bytes = 0;
    int disk = open(path, O_RDONLY | O_CLOEXEC);
    bool known = disk >= 0 && ioctl(disk, BLKGETSIZE64, &bytes) == 0 && fstatfs(directory, &status) == 0;
    if (disk >= 0) close(disk);
    if (!known) return;
    /* statfs leaves out what ext4 keeps for itself, so the wish may be for the size that it has; that is no work. */
    uint64_t blocks = bytes / (uint64_t)status.f_bsize;
    if (blocks > status.f_blocks && ioctl(directory, EXT4_IOC_RESIZE_FS, &blocks) != 0) {
        log_line("cannot grow the writable layer: %s", strerror(errno));
    }
}
