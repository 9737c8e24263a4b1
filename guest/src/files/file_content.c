/* READ and WRITE. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file_operation.h"
#include "files/record_stream.h"
#include "files/temp_cleanup.h"

void file_content_read(const struct file_request *request) {
    uint64_t position = request->offset, left = request->length;
    int fd = open(request->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) stream_failed(errno, "", "The file cannot be opened");
    if (position > 0 && lseek(fd, (off_t)position, SEEK_SET) < 0) stream_failed(errno, "", "The offset cannot be reached");
    while (left > 0) {
        ssize_t n = read(fd, stream_room(), left < PIECE ? left : PIECE);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) stream_failed(errno, "", "The file cannot be read");
        if (n == 0) return;
        stream_data(position, (size_t)n);
        stream_flush(); /* a pipe or a device may take its time with the next bytes */
        position += (uint64_t)n;
        left -= (uint64_t)n;
    }
}

/* SIGTERM is blocked until the new file is registered, so that it cannot come in between and leave the file behind. */
static int create(const char *path, mode_t mode) {
    sigset_t termination, before;
    sigemptyset(&termination);
    sigaddset(&termination, SIGTERM);
    sigprocmask(SIG_BLOCK, &termination, &before);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode), error = errno;
    if (fd >= 0) temp_cleanup_register(AT_FDCWD, path, fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

static void give(int fd, const struct file_request *request) {
    if (request->owner == NULL) return;
    if (fchown(fd, request->uid, request->gid) != 0) stream_failed(errno, "", "The owner cannot be set");
    /* A change of the owner takes these two away. */
    if ((request->mode & (S_ISUID | S_ISGID)) != 0 && fchmod(fd, request->mode) != 0) {
        stream_failed(errno, "", "The mode cannot be set");
    }
}

static int open_target(const struct file_request *request) {
    bool made = false;
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY, fd = -1;
    if ((request->flags & WRITE_APPEND) != 0) flags |= O_APPEND;
    if ((request->flags & WRITE_TRUNCATE) != 0) flags |= O_TRUNC;
    bool exclusive = (request->flags & WRITE_EXCLUSIVE) != 0;
    if (!exclusive) fd = open(request->path, flags);
    if (fd < 0 && (exclusive || errno == ENOENT)) {
        fd = create(request->path, request->mode);
        made = fd >= 0;
    }
    /* It has come since, or it is a link that leads to nothing yet. */
    if (fd < 0 && errno == EEXIST && !exclusive) fd = open(request->path, flags);
    if (fd < 0 && errno == ENOENT && !exclusive) {
        fd = open(request->path, flags | O_CREAT, request->mode);
        made = fd >= 0;
    }
    if (fd < 0) stream_failed(errno, "", "The file cannot be opened");
    if (made) give(fd, request);
    return fd;
}

static void write_all(int fd, struct text bytes) {
    while (bytes.length > 0) {
        ssize_t n = write(fd, bytes.bytes, bytes.length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) stream_failed(errno, "", "The file cannot be written");
        bytes.bytes += n;
        bytes.length -= (uint32_t)n;
    }
}

void file_content_write(const struct file_request *request) {
    int fd = open_target(request);
    bool append = (request->flags & WRITE_APPEND) != 0;
    uint64_t position = 0, least = request->offset;
    struct record record;
    for (stream_next(&record); record.type == RECORD_DATA; stream_next(&record)) {
        if (record.offset < least || (append && record.offset != position)) {
            stream_failed(EINVAL, "", "A DATA stands before the one that came earlier, or leaves a hole in what is appended");
        }
        if (record.offset != position && lseek(fd, (off_t)record.offset, SEEK_SET) < 0) {
            stream_failed(errno, "", "The offset cannot be reached");
        }
        write_all(fd, record.bytes);
        position = least = record.offset + record.bytes.length;
    }
    if (record.type != RECORD_DONE) stream_failed(EINVAL, "", "WRITE takes DATA and DONE only");
    temp_cleanup_forget();
    /* A network's file system may find only now that the disk is full. */
    if (close(fd) != 0) stream_failed(errno, "", "The file cannot be written");
}
