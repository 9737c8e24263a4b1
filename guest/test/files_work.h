/* A directory of its own for the tests of file operations, and what they make and look for in it. */
#pragma once

#include <dirent.h>
#include <ftw.h>

#include "files_host.h"

static char work[64];

static inline const char *at(const char *name) {
    static char paths[8][8192];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", work, name);
    return path;
}

static inline void make_file(const char *path, const char *content, mode_t mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) && fchmod(fd, mode) == 0);
    close(fd);
}

static inline bool has_content(const char *path, const char *content) {
    char bytes[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0) close(fd);
    return n == (ssize_t)strlen(content) && memcmp(bytes, content, (size_t)n) == 0;
}

static inline bool exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static inline int count(const char *path) {
    DIR *directory = opendir(path);
    int found = -2; /* . and .. */
    CHECK(directory != NULL);
    while (readdir(directory) != NULL) found++;
    closedir(directory);
    return found;
}

static inline void make_big(const char *path, size_t size) {
    uint64_t seed = 3;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)next_random(&seed);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
    free(bytes);
}

static inline void give_time(const char *path, long seconds, long nanoseconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {seconds, nanoseconds}};
    CHECK(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0);
}

static inline int open_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status, (void)where;
    return kind == FTW_D ? chmod(path, 0700) : 0;
}

static inline int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status, (void)where;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

static inline void begin_work(void) {
    const char *temporary = getenv("TMPDIR");
    snprintf(work, sizeof work, "%.40s/cloche-files-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    CHECK(mkdtemp(work) != NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* With any modes that the tests have left. */
static inline void end_work(void) {
    CHECK(nftw(work, open_one, 16, FTW_PHYS) == 0);
    CHECK(nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}
