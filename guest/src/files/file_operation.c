#include "files/file_operation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/record_stream.h"
#include "files/temp_cleanup.h"

/* Gives away what was made just now, unless another process has put something else in its place. */
static void give(const char *path, const struct file_request *request) {
    struct stat status;
    if (request->owner == NULL) return;
    int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) stream_failed(errno, "", "The new directory cannot be opened");
    if (status.st_uid != geteuid()) stream_failed(ESTALE, "", "Another process has changed it");
    if (fchownat(fd, "", request->uid, request->gid, AT_EMPTY_PATH) != 0) {
        stream_failed(errno, "", "The owner cannot be set");
    }
    close(fd);
}

static void make_parents(const struct file_request *request) {
    const char *path = request->path;
    mode_t mode = request->mode | S_IWUSR | S_IXUSR;
    char part[PATH_LENGTH_MAX + 1];
    for (size_t i = 1; path[i] != '\0'; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, mode) == 0) {
            give(part, request);
        } else if (errno != EEXIST) {
            stream_failed(errno, "", "A directory on the way cannot be made");
        }
    }
}

static void make_directory(const struct file_request *request) {
    struct stat status;
    bool parents = (request->flags & MKDIR_PARENTS) != 0;
    if (parents) make_parents(request);
    if (mkdir(request->path, request->mode) != 0) {
        int error = errno;
        if (parents && stat(request->path, &status) == 0 && S_ISDIR(status.st_mode)) return;
        stream_failed(error, "", "The directory cannot be made");
    }
    give(request->path, request);
    /* mkdir leaves these two to the parent directory. */
    if ((request->mode & (S_ISUID | S_ISGID)) == 0) return;
    int fd = open(request->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fchmod(fd, request->mode) != 0) stream_failed(errno, "", "The mode cannot be set");
}

static void rename_to(const struct file_request *request) {
    unsigned flags = (request->flags & RENAME_KEEP) != 0 ? RENAME_NOREPLACE : 0;
    if (renameat2(AT_FDCWD, request->path, AT_FDCWD, request->target, flags) != 0) {
        stream_failed(errno, "", "It cannot be renamed");
    }
}

void file_operation(const struct file_request *request) {
    static void (*const operations[])(const struct file_request *) = {
        [FILE_STAT] = file_state,
        [FILE_LIST] = file_list,
        [FILE_READ] = file_content_read,
        [FILE_WRITE] = file_content_write,
        [FILE_MKDIR] = make_directory,
        [FILE_REMOVE] = file_remove,
        [FILE_RENAME] = rename_to,
        [FILE_COPY_OUT] = copy_out,
        [FILE_COPY_IN] = copy_in,
        [FILE_WATCH] = file_watch,
        [FILE_DIFF] = diff,
        [FILE_ATTRIBUTES] = file_attributes,
    };
    signal(SIGPIPE, SIG_IGN);
    temp_cleanup_on_sigterm();
    stream_begin(request->path);
    operations[request->operation](request);
    stream_done();
}
