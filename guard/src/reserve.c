#include "reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io.h"

/* Of DiskReserve, which makes the file. */
static const int64_t WHOLE = 16 << 20;

/* How many bytes it lacks; 0 where it is nothing to a directory. */
static int64_t lacks(const struct reserve *reserve, int directory) {
    struct stat file, other;
    if (reserve->path == NULL || lstat(reserve->path, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
    if (fstat(directory, &other) != 0 || other.st_dev != file.st_dev) return 0;
    return file.st_size < WHOLE ? WHOLE - file.st_size : 0;
}

int64_t reserve_spares(const struct reserve *reserve, int directory) {
    struct statvfs fs;
    if (fstatvfs(directory, &fs) != 0) return INT64_MAX;
    int64_t spare = (int64_t)(fs.f_bavail * fs.f_frsize) - lacks(reserve, directory);
    return spare > 0 ? spare : 0;
}

/* Other processes change it under this lock, which ends with the descriptor. */
static bool lock_file(int file) {
    return flock(file, LOCK_EX | LOCK_NB) == 0;
}

/* Random bytes, which no file system can compress or share. */
static bool fill(int file) {
    char bytes[64 * 1024];
    off_t size = lseek(file, 0, SEEK_END);
    while (size >= 0 && size < WHOLE) {
        size_t next = WHOLE - size < (int64_t)sizeof bytes ? (size_t)(WHOLE - size) : sizeof bytes;
        ssize_t n = getrandom(bytes, next, 0);
        if (n <= 0 || !write_all(file, bytes, (size_t)n)) return false;
        size += n;
    }
    return size >= WHOLE;
}

bool reserve_make_whole(const struct reserve *reserve, int directory) {
    if (lacks(reserve, directory) == 0) return true;
    int file = open(reserve->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    /* A file that was made since is not the guard's to reach; processes that make it refill it. */
    if (file < 0) return errno == EACCES;
    bool whole = lock_file(file) && fill(file);
    close(file);
    return whole;
}
