#include "files/file_entry.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static uint32_t kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR: return ENTRY_DIRECTORY;
        case S_IFLNK: return ENTRY_LINK;
        case S_IFIFO: return ENTRY_FIFO;
        case S_IFCHR: return ENTRY_CHARACTER_DEVICE;
        case S_IFBLK: return ENTRY_BLOCK_DEVICE;
        case S_IFSOCK: return ENTRY_SOCKET;
        default: return ENTRY_FILE;
    }
}

struct entry entry_of(const struct stat *status, const char *name) {
    return (struct entry){
        .kind = kind_of(status->st_mode),
        .mode = status->st_mode & 07777,
        .uid = status->st_uid,
        .gid = status->st_gid,
        .size = status->st_size < 0 ? 0 : (uint64_t)status->st_size,
        .seconds = status->st_mtim.tv_sec,
        .nanoseconds = (uint32_t)status->st_mtim.tv_nsec,
        .major = major(status->st_rdev),
        .minor = minor(status->st_rdev),
        .name = {.bytes = (char *)(uintptr_t)name, .length = (uint32_t)strlen(name)},
    };
}

bool entry_read_target(struct entry *entry, int directory, const char *name) {
    static char target[ENTRY_NAME_MAX + 1];
    ssize_t n = readlinkat(directory, name, target, sizeof target);
    if (n < 0) return false;
    if (n == 0 || n > ENTRY_NAME_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    entry->target = (struct text){.bytes = target, .length = (uint32_t)n};
    return true;
}
