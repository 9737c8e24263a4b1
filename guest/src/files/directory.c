#include "files/directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Small, because a deep walk holds one for each level. The C library's streams take four times as much. */
enum { BUFFER = 8192 };

bool directory_open(struct directory *directory, int fd) {
    *directory = (struct directory){.fd = fd, .bytes = malloc(BUFFER)};
    if (directory->bytes != NULL) return true;
    close(fd);
    errno = ENOMEM;
    return false;
}

static const struct dirent64 *next_entry(struct directory *directory) {
    if (directory->next == directory->end) {
        directory->next = 0;
        directory->end = syscall(SYS_getdents64, directory->fd, directory->bytes, BUFFER);
        if (directory->end <= 0) {
            /* A directory that was removed meanwhile has nothing in it. */
            errno = directory->end == 0 || errno == ENOENT ? 0 : errno;
            directory->end = 0;
            return NULL;
        }
    }
    const struct dirent64 *entry = (const struct dirent64 *)(directory->bytes + directory->next);
    directory->next += entry->d_reclen;
    return entry;
}

const char *directory_next(struct directory *directory) {
    for (const struct dirent64 *entry; (entry = next_entry(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return entry->d_name;
    }
    return NULL;
}

void directory_close(struct directory *directory) {
    close(directory->fd);
    free(directory->bytes);
}
