#include "vm/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
