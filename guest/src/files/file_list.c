/* STAT and LIST. A LIST tells a directory before what is in it, holds a directory of each level open, and goes into none by a
 * link. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/details.h"
#include "files/directory.h"
#include "files/file_entry.h"
#include "files/file_operation.h"
#include "files/path_stack.h"
#include "files/record_stream.h"

static struct directory levels[LIST_DEPTH_MAX];
static int depth;
static struct path_stack stack;

static void failed(int error, const char *text) { stream_failed(error, stack.path, text); }

void file_state(const struct file_request *request) {
    struct stat status;
    bool follow = (request->flags & STAT_FOLLOW) != 0;
    if (fstatat(AT_FDCWD, request->path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
        failed(errno, "It cannot be looked at");
    }
    struct entry entry = entry_of(&status, "");
    if (entry.kind == ENTRY_LINK && !entry_read_target(&entry, AT_FDCWD, request->path)) {
        failed(errno, "The link cannot be read");
    }
    stream_entry(&entry);
    if ((request->flags & FILE_DETAILS) != 0) details_tell(&entry, request->path, follow, "");
}

/* What has vanished is not told, nor what is below the directory that was asked for and the user may not look at. */
static bool passed_over(int error) { return error == ENOENT || (error == EACCES && depth > 1); }

static bool tell(const struct directory *directory, const char *name, bool details, struct stat *status) {
    if (fstatat(directory->fd, name, status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (passed_over(errno)) return false;
        failed(errno, "It cannot be looked at");
    }
    struct entry entry = entry_of(status, stack.path);
    if (entry.kind == ENTRY_LINK && !entry_read_target(&entry, directory->fd, name)) {
        if (errno == ENOENT || errno == EINVAL) return false; /* it has been replaced since */
        failed(errno, "The link cannot be read");
    }
    stream_entry(&entry);
    if (!details) return true;
    if (fchdir(directory->fd) != 0) failed(errno, "The directory cannot be entered");
    details_tell(&entry, name, false, stack.path);
    return true;
}

static void enter(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR || errno == EACCES)) return;
    if (fd < 0 || !directory_open(&levels[depth], fd)) failed(errno, "The directory cannot be opened");
    depth++;
}

void file_list(const struct file_request *request) {
    int most = (request->flags & LIST_TREE) != 0 ? (int)request->length : 1;
    bool details = (request->flags & FILE_DETAILS) != 0;
    int fd = open(request->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || !directory_open(&levels[0], fd)) failed(errno, "The directory cannot be opened");
    for (depth = 1; depth > 0;) {
        struct directory *level = &levels[depth - 1];
        const char *name = directory_next(level);
        if (name == NULL) {
            if (errno != 0) failed(errno, "The directory cannot be read");
            directory_close(level);
            if (--depth > 0) path_stack_pop(&stack);
            continue;
        }
        int before = depth;
        struct stat status;
        if (!path_stack_push(&stack, name)) failed(ENAMETOOLONG, "The tree is too deep");
        bool told = tell(level, path_stack_last(&stack), details, &status);
        if (told && S_ISDIR(status.st_mode) && depth < most) enter(level->fd, path_stack_last(&stack));
        if (depth == before) path_stack_pop(&stack);
    }
}
