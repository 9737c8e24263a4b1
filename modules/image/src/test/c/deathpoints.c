/*
 * Preloaded into a JVM under test: counts every call that changes a file below DEATH_ROOT, of the JDK and of SQLite
 * alike, and kills the process at the one whose number is DEATH_AT (1 is the first). A write dies half-way, everything
 * else before its effect; the state after a call is the one before the next. With DEATH_LOG each call is written there
 * as a line: name, space, path.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

static int below(const char *path) {
    const char *root = setting("DEATH_ROOT");
    return root != NULL && path != NULL && strncmp(path, root, strlen(root)) == 0;
}

/* Whether this call is the last one. */
static int counted(const char *call, const char *path) {
    if (!below(path)) {
        return 0;
    }
    long number = atomic_fetch_add(&calls, 1) + 1;
    const char *log = setting("DEATH_LOG");
    if (log != NULL) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s\n", call, path);
        static ssize_t (*real_write)(int, const void *, size_t);
        if (real_write == NULL) {
            real_write = dlsym(RTLD_NEXT, "write");
        }
        static int fd = -1;
        static int (*real_open)(const char *, int, ...);
        if (fd < 0) {
            real_open = dlsym(RTLD_NEXT, "open");
            fd = real_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        }
        if (real_write(fd, line, (size_t)length) != length) {
            abort();
        }
    }
    const char *at = setting("DEATH_AT");
    return at != NULL && number == atol(at);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

static void reached(const char *call, const char *path) {
    if (counted(call, path)) {
        die();
    }
}

static const char *path_of(int fd, char *buffer) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, buffer, PATH_MAX - 1);
    if (length < 0) {
        return NULL;
    }
    buffer[length] = '\0';
    return buffer;
}

static const char *path_at(int directory, const char *path, char *buffer) {
    if (path[0] == '/' || directory == AT_FDCWD) {
        return path;
    }
    char parent[PATH_MAX];
    const char *found = path_of(directory, parent);
    if (found == NULL) {
        return NULL;
    }
    snprintf(buffer, PATH_MAX, "%s/%s", found, path);
    return buffer;
}

#define REAL(name, type) \
    static __typeof__(type) real; \
    if (real == NULL) { \
        real = (__typeof__(type))dlsym(RTLD_NEXT, name); \
    }

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

/* Opening changes something only if it makes or empties a file. */
#define MAKES(flags, path) (((flags) & O_TRUNC) || (((flags) & O_CREAT) && access((path), F_OK) != 0))

#define OPEN(function) \
    int function(const char *path, int flags, ...) { \
        REAL(#function, int (*)(const char *, int, ...)) \
        MODE_OF(flags) \
        if (below(path) && MAKES(flags, path)) { \
            reached("open", path); \
        } \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(function) \
    int function(int directory, const char *path, int flags, ...) { \
        REAL(#function, int (*)(int, const char *, int, ...)) \
        MODE_OF(flags) \
        char buffer[PATH_MAX]; \
        const char *whole = path_at(directory, path, buffer); \
        if (below(whole) && MAKES(flags, whole)) { \
            reached("open", whole); \
        } \
        return real(directory, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode) {
    REAL("mkdir", int (*)(const char *, mode_t))
    reached("mkdir", path);
    return real(path, mode);
}

int rename(const char *from, const char *to) {
    REAL("rename", int (*)(const char *, const char *))
    reached("rename", to);
    return real(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    REAL("renameat", int (*)(int, const char *, int, const char *))
    char buffer[PATH_MAX];
    reached("rename", path_at(to_directory, to, buffer));
    return real(from_directory, from, to_directory, to);
}

int link(const char *from, const char *to) {
    REAL("link", int (*)(const char *, const char *))
    reached("link", to);
    return real(from, to);
}

int unlink(const char *path) {
    REAL("unlink", int (*)(const char *))
    reached("unlink", path);
    return real(path);
}

int unlinkat(int directory, const char *path, int flags) {
    REAL("unlinkat", int (*)(int, const char *, int))
    char buffer[PATH_MAX];
    reached("unlink", path_at(directory, path, buffer));
    return real(directory, path, flags);
}

int rmdir(const char *path) {
    REAL("rmdir", int (*)(const char *))
    reached("rmdir", path);
    return real(path);
}

#define FD_CALL(function, name) \
    int function(int fd) { \
        REAL(#function, int (*)(int)) \
        char buffer[PATH_MAX]; \
        reached(name, path_of(fd, buffer)); \
        return real(fd); \
    }
FD_CALL(fsync, "fsync")
FD_CALL(fdatasync, "fsync")

#define TRUNCATE(function, type) \
    int function(int fd, type length) { \
        REAL(#function, int (*)(int, type)) \
        char buffer[PATH_MAX]; \
        reached("truncate", path_of(fd, buffer)); \
        return real(fd, length); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

ssize_t write(int fd, const void *bytes, size_t length) {
    REAL("write", ssize_t(*)(int, const void *, size_t))
    char buffer[PATH_MAX];
    if (fd > 2 && counted("write", path_of(fd, buffer))) {
        real(fd, bytes, length / 2);
        die();
    }
    return real(fd, bytes, length);
}

#define PWRITE(function, type) \
    ssize_t function(int fd, const void *bytes, size_t length, type offset) { \
        REAL(#function, ssize_t(*)(int, const void *, size_t, type)) \
        char buffer[PATH_MAX]; \
        if (counted("write", path_of(fd, buffer))) { \
            real(fd, bytes, length / 2, offset); \
            die(); \
        } \
        return real(fd, bytes, length, offset); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL("writev", ssize_t(*)(int, const struct iovec *, int))
    char buffer[PATH_MAX];
    if (fd > 2 && counted("write", path_of(fd, buffer))) {
        real(fd, parts, count / 2);
        die();
    }
    return real(fd, parts, count);
}
