/* COPY_OUT: a file or a tree as records; and DIFF, the same of the upper directory of the root's overlay, in which
 * files say what has changed (files/change.h). Opens nothing but files and directories, and holds a directory of each level
 * of the tree open. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change.h"
#include "files/directory.h"
#include "files/file_entry.h"
#include "files/file_operation.h"
#include "files/path_stack.h"
#include "files/record_stream.h"

static struct directory levels[ENTRY_DEPTH_MAX + 1];
static int depth;
static struct path_stack stack;
static bool changes; /* of a DIFF */

static void failed(int error, const char *text) { stream_failed(error, stack.path, text); }

/* Where the next data begin at or after the position; `size` if there are none. A file system that knows no holes has
 * data everywhere. */
static uint64_t next_data(int fd, uint64_t position, uint64_t size) {
    off_t found = lseek(fd, (off_t)position, SEEK_DATA);
    if (found < 0) return errno == ENXIO ? size : position;
    return (uint64_t)found;
}

static uint64_t next_hole(int fd, uint64_t position, uint64_t size) {
    off_t found = lseek(fd, (off_t)position, SEEK_HOLE);
    return found <= (off_t)position || (uint64_t)found > size ? size : (uint64_t)found;
}

/* Sends a stretch without holes; false if the file ends before. */
static bool send_stretch(int fd, uint64_t position, uint64_t end) {
    while (position < end) {
        uint64_t left = end - position;
        ssize_t n = pread(fd, stream_room(), left < PIECE ? left : PIECE, (off_t)position);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) failed(errno, "The file cannot be read");
        if (n == 0) return false;
        stream_data(position, (size_t)n);
        position += (uint64_t)n;
    }
    return true;
}

static void send_content(int fd, uint64_t size) {
    for (uint64_t position = 0; position < size;) {
        uint64_t data = next_data(fd, position, size);
        if (data >= size) return;
        position = next_hole(fd, data, size);
        if (!send_stretch(fd, data, position)) return;
    }
}

/* What has become another kind of file since it was looked at counts as vanished. Non-blocking, for the case that it has
 * become a pipe. */
static int open_same(int parent, const char *name, int flags, mode_t kind, struct stat *status) {
    int fd = openat(parent, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (fd < 0) {
        if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR || errno == ENXIO) return -1;
        failed(errno, "It cannot be opened");
    }
    if (fstat(fd, status) != 0) failed(errno, "It cannot be looked at");
    if ((status->st_mode & S_IFMT) == kind) return fd;
    close(fd);
    return -1;
}

static bool send_file(int parent, const char *name, int flags, struct stat *status) {
    int fd = open_same(parent, name, flags, S_IFREG, status);
    if (fd < 0) return false;
    struct entry entry = entry_of(status, stack.path);
    stream_entry(&entry);
    if (changes) change_attributes(fd, stack.path);
    send_content(fd, entry.size);
    close(fd);
    return true;
}

static bool enter(int parent, const char *name, int flags, struct stat *status) {
    int fd = open_same(parent, name, flags | O_DIRECTORY, S_IFDIR, status);
    if (fd < 0) return false;
    if (!directory_open(&levels[depth], fd)) failed(errno, "The directory cannot be read");
    depth++;
    struct entry entry = entry_of(status, stack.path);
    stream_entry(&entry);
    if (changes) change_attributes(fd, stack.path);
    return true;
}

static bool send_other(int parent, const char *name, const struct stat *status) {
    struct entry entry = entry_of(status, stack.path);
    if (entry.kind == ENTRY_LINK && !entry_read_target(&entry, parent, name)) {
        if (errno == ENOENT || errno == EINVAL) return false;
        failed(errno, "The link cannot be read");
    }
    stream_entry(&entry);
    return true;
}

/* Sends it, but of a directory only that it is there, which is then the innermost level. False: it has vanished. */
static bool visit(int parent, const char *name, bool follow) {
    struct stat status;
    if (fstatat(parent, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return false;
        failed(errno, "It cannot be looked at");
    }
    if (changes && change_is_left_out(stack.path)) return true;
    if (changes && change_is_removal(&status)) {
        stream_removed(stack.path);
        return true;
    }
    int flags = follow ? 0 : O_NOFOLLOW;
    switch (status.st_mode & S_IFMT) {
        case S_IFREG: return send_file(parent, name, flags, &status);
        case S_IFDIR: return enter(parent, name, flags, &status);
        case S_IFSOCK: return true;
        default: return send_other(parent, name, &status);
    }
}

static void walk(void) {
    while (depth > 0) {
        struct directory *level = &levels[depth - 1];
        const char *name = directory_next(level);
        if (name != NULL) {
            int before = depth;
            if (!path_stack_push(&stack, name)) failed(ENAMETOOLONG, "The tree is too deep");
            visit(level->fd, path_stack_last(&stack), false);
            if (depth == before) path_stack_pop(&stack);
            continue;
        }
        if (errno != 0) failed(errno, "The directory cannot be read");
        directory_close(level);
        depth--;
        if (depth > 0) path_stack_pop(&stack);
    }
}

void copy_out(const struct file_request *request) {
    struct stat status;
    bool follow = (request->flags & COPY_OUT_FOLLOW) != 0;
    if (fstatat(AT_FDCWD, request->path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
        failed(errno, "It cannot be looked at");
    }
    if (S_ISSOCK(status.st_mode)) failed(EOPNOTSUPP, "A socket cannot be copied");
    if (!visit(AT_FDCWD, request->path, follow)) failed(ENOENT, "It has vanished");
    walk();
}

void diff(const struct file_request *request) {
    (void)request; /* it is always the whole root */
    changes = true;
    if (!visit(STDIN_FILENO, ".", false)) failed(ENOENT, "The writable layer has vanished");
    walk();
}
