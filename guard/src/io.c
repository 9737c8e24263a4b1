#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_PREPARED 4096

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

/* In the same directory. */
struct temporary {
    char name[64];
};

static struct temporary temporary_of(const char *name) {
    struct temporary temporary;
    snprintf(temporary.name, sizeof temporary.name, "%s.tmp", name);
    return temporary;
}

/* Takes the name away and answers -1, with the errno of before. */
static int give_up(int directory, const char *temporary, int fd) {
    int error = errno;
    close(fd);
    unlinkat(directory, temporary, 0);
    errno = error;
    return -1;
}

/* The file under a temporary name; -1 with errno. */
static int write_temporary(int directory, const char *temporary, const char *bytes, size_t length) {
    int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    return write_all(fd, bytes, length) ? fd : give_up(directory, temporary, fd);
}

int prepare_file(int directory, const char *name, size_t most) {
    char blank[MAX_PREPARED];
    if (most > sizeof blank) {
        errno = EINVAL;
        return -1;
    }
    memset(blank, ' ', most);
    return write_temporary(directory, temporary_of(name).name, blank, most);
}

bool write_prepared(int directory, int file, const char *name, const char *bytes, size_t length) {
    /* Over what is there, which takes no space; shortened only then. */
    bool written = lseek(file, 0, SEEK_SET) == 0 && write_all(file, bytes, length) &&
                   ftruncate(file, (off_t)length) == 0 && fsync(file) == 0;
    if (!written) {
        give_up(directory, temporary_of(name).name, file);
        return false;
    }
    close(file);
    return renameat(directory, temporary_of(name).name, directory, name) == 0 && fsync(directory) == 0;
}

int write_whole(int directory, const char *name, const char *bytes, size_t length) {
    struct temporary temporary = temporary_of(name);
    int fd = write_temporary(directory, temporary.name, bytes, length);
    if (fd < 0 || renameat(directory, temporary.name, directory, name) == 0) return fd;
    return give_up(directory, temporary.name, fd);
}

void make_durable(int directory, int file) {
    fsync(file);
    fsync(directory);
    close(file);
}

bool close_from(int first) {
    if (close_range((unsigned)first, ~0U, 0) == 0) return true;
    DIR *open_ones = opendir("/proc/self/fd");
    if (open_ones == NULL) return false;
    for (struct dirent *entry; (entry = readdir(open_ones)) != NULL;) {
        int fd = atoi(entry->d_name); /* 0 of what is no number */
        if (fd >= first && fd != dirfd(open_ones)) close(fd);
    }
    closedir(open_ones);
    return true;
}
