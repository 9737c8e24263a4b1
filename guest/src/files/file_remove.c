/* REMOVE: what is deepest first, without recursion. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/directory.h"
#include "files/file_operation.h"
#include "files/path_stack.h"
#include "files/record_stream.h"
#include "files/split.h"

static struct directory levels[ENTRY_DEPTH_MAX + 1];
static int depth;
static struct path_stack stack;

static void failed(int error, const char *text) { stream_failed(error, stack.path, text); }

/* Goes into the directory, but not into one that is mounted there: that is not part of the tree. */
static bool enter(int parent, const char *name) {
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
    };
    int fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof how);
    if (fd < 0 && errno == ENOENT) return false;
    if (fd < 0) failed(errno == EXDEV ? EBUSY : errno, "The directory cannot be opened");
    if (!directory_open(&levels[depth], fd)) failed(errno, "The directory cannot be read");
    depth++;
    return true;
}

/* Answers whether it went into it instead. */
static bool remove_or_enter(int parent, const char *name) {
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) return false;
    if (errno != EISDIR) failed(errno, "It cannot be removed");
    return enter(parent, name);
}

static void remove_tree(int parent, const char *name) {
    if (!remove_or_enter(parent, name)) return;
    while (depth > 0) {
        struct directory *level = &levels[depth - 1];
        const char *next = directory_next(level);
        if (next != NULL) {
            if (!path_stack_push(&stack, next)) failed(ENAMETOOLONG, "The tree is too deep");
            if (!remove_or_enter(level->fd, next)) path_stack_pop(&stack);
            continue;
        }
        if (errno != 0) failed(errno, "The directory cannot be read");
        directory_close(level);
        depth--;
        int above = depth == 0 ? parent : levels[depth - 1].fd;
        if (unlinkat(above, depth == 0 ? name : path_stack_last(&stack), AT_REMOVEDIR) != 0 && errno != ENOENT) {
            failed(errno, "The directory cannot be removed");
        }
        if (depth > 0) path_stack_pop(&stack);
    }
}

void file_remove(const struct file_request *request) {
    struct split split;
    split_path(request->path, &split);
    if (*split.leaf == '\0') failed(EBUSY, "The root cannot be removed");
    if (split_leaf_is_dots(&split)) failed(EINVAL, "The path ends in . or ..");
    int parent = open(split.parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) failed(errno, "The directory that it is in cannot be opened");
    struct stat status;
    if (fstatat(parent, split.leaf, &status, AT_SYMLINK_NOFOLLOW) != 0) failed(errno, "It cannot be removed");
    if ((request->flags & REMOVE_TREE) != 0) {
        remove_tree(parent, split.leaf);
    } else if (unlinkat(parent, split.leaf, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) != 0) {
        failed(errno, "It cannot be removed");
    }
}
