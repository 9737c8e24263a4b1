/* WATCH: what changes in a directory, and below it. A new directory is first watched, then listed, so a name may be told twice, and
 * none is missed; where the kernel or a bound makes it miss something, OVERFLOW says so. Links are not followed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "files/directory.h"
#include "files/file_entry.h"
#include "files/file_operation.h"
#include "files/path_stack.h"
#include "files/record_stream.h"
#include "files/watched_tree.h"

enum { BUFFER = 64 * 1024, TOP = 0 };

/* A directory that is there already by another name, as one that is mounted twice, keeps its first name. */
static const uint32_t DIRECTORY_MASK =
    IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR | IN_EXCL_UNLINK | IN_MASK_CREATE;

static const struct file_request *request;
static int inotify = -1;
static struct stat top;  /* of the directory */
static bool running;     /* once it is READY */
static bool overflown;

static struct level {
    struct directory directory;
    int place;
} levels[ENTRY_DEPTH_MAX + 1];
static int depth;
static struct path_stack stack; /* of the walk */

/* Of what is told now, -1 until it is needed: paths of entries are relative to it. */
static int opened_top = -1;

static void tell(enum event event, const char *path) {
    struct stat status;
    struct entry entry, *told = NULL;
    if ((request->flags & WATCH_ENTRIES) != 0 && event != EVENT_REMOVE && event != EVENT_RENAME) {
        if (opened_top < 0) opened_top = open(request->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        const char *relative = *path == '\0' ? "." : path;
        if (opened_top >= 0 && fstatat(opened_top, relative, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            entry = entry_of(&status, path);
            if (entry.kind != ENTRY_LINK || entry_read_target(&entry, opened_top, relative)) told = &entry;
        }
    }
    stream_event(event, path, told);
}

/* E2BIG: more directories than can be watched. Before it is READY, that is its end. */
static void cannot_watch_all(int error) {
    if (!running) stream_failed(error, stack.path, "Not all can be watched");
    overflown = true;
}

static void forget_watch(int watch) { inotify_rm_watch(inotify, watch); }

/* The watch is added by the working directory: a path may have become another's. It is left at once: a directory that a
 * process is in is not told to be removed. */
static int add_watch(int fd, uint32_t mask) {
    if (fchdir(fd) != 0) return -1;
    int watch = inotify_add_watch(inotify, ".", mask), error = errno;
    if (chdir("/") != 0) stream_failed(errno, "", "The root cannot be entered");
    errno = error;
    return watch;
}

/* Watches the directory and makes it the innermost level. Takes the descriptor over. */
static void enter(int fd, int parent, const char *name) {
    int watch = add_watch(fd, DIRECTORY_MASK);
    if (watch < 0) {
        int error = errno;
        close(fd);
        if (error == EEXIST || error == EACCES || error == ENOENT) return;
        if (error != ENOSPC && error != ENOMEM) stream_failed(error, stack.path, "The directory cannot be watched");
        cannot_watch_all(E2BIG);
        return;
    }
    int place = watched_add(watch, parent, name);
    if (place == WATCHED_NONE) {
        inotify_rm_watch(inotify, watch);
        close(fd);
        cannot_watch_all(E2BIG);
        return;
    }
    if (!directory_open(&levels[depth].directory, fd)) stream_failed(errno, stack.path, "The directory cannot be read");
    levels[depth++].place = place;
}

/* What is no directory, has vanished or may not be read is passed over. */
static void enter_below(int parent_fd, int parent, const char *name) {
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) cannot_watch_all(E2BIG);
    if (fd >= 0) enter(fd, parent, name);
}

/* Lists the levels that are open, and what is below them. */
static void walk(void) {
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        const char *name = directory_next(&level->directory);
        if (name == NULL) {
            directory_close(&level->directory);
            depth--;
            if (stack.depth > 0) path_stack_pop(&stack);
            continue;
        }
        int before = depth;
        if (!path_stack_push(&stack, name)) {
            cannot_watch_all(ENAMETOOLONG);
            continue;
        }
        if (running) tell(EVENT_CREATE, stack.path);
        enter_below(level->directory.fd, level->place, path_stack_last(&stack));
        if (depth == before) path_stack_pop(&stack);
    }
}

/* False with errno if the path leads to no directory any more, or to another one than before. */
static bool open_top(int *fd) {
    struct stat status;
    *fd = open(request->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) return false;
    if (fstat(*fd, &status) == 0 && (top.st_ino == 0 || (status.st_ino == top.st_ino && status.st_dev == top.st_dev))) {
        top = status;
        return true;
    }
    close(*fd);
    errno = ENOENT;
    return false;
}

/* Watches what is there now. False with errno if the directory is not there. */
static bool begin(void) {
    int fd;
    if (inotify >= 0) close(inotify);
    watched_clear();
    inotify = inotify_init1(IN_CLOEXEC);
    if (inotify < 0) stream_failed(errno, "", "Nothing can be watched");
    if (!open_top(&fd)) return false;
    stack = (struct path_stack){0};
    int watch = add_watch(fd, DIRECTORY_MASK | IN_DELETE_SELF | IN_MOVE_SELF);
    if (watch < 0 || watched_add(watch, WATCHED_NONE, "") != TOP) stream_failed(errno, "", "The directory cannot be watched");
    if ((request->flags & WATCH_TREE) == 0) {
        close(fd);
        return true;
    }
    if (!directory_open(&levels[0].directory, fd)) stream_failed(errno, "", "The directory cannot be read");
    levels[0].place = TOP;
    depth = 1;
    walk();
    return true;
}

/* Its last event, of the directory itself. */
__attribute__((noreturn)) static void end(enum event event) {
    stream_event(event, "", NULL);
    stream_done();
}

/* The part of the path before the name leads from the top to it; what of it has become a link is not followed. */
static int open_place(const char *path, size_t length) {
    int fd;
    if (!open_top(&fd)) return -1;
    for (size_t from = 0; from < length && fd >= 0;) {
        char part[ENTRY_PART_MAX + 1];
        size_t to = from;
        while (to < length && path[to] != '/') to++;
        memcpy(part, path + from, to - from);
        part[to - from] = '\0';
        int next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(fd);
        fd = next;
        from = to + 1;
    }
    return fd;
}

static void watch_new(int parent, const struct path_stack *path) {
    const char *name = path_stack_last(path);
    stack = *path;
    int fd = open_place(path->path, (size_t)(name - path->path));
    if (fd < 0) return; /* it has vanished, and that is told too */
    enter_below(fd, parent, name);
    close(fd);
    walk();
}

static void told_of(const struct inotify_event *told) {
    static struct path_stack path;
    bool directory = (told->mask & IN_ISDIR) != 0;
    if ((told->mask & IN_Q_OVERFLOW) != 0) {
        overflown = true;
        return;
    }
    int place = watched_find(told->wd);
    if (place == WATCHED_NONE) return; /* forgotten meanwhile */
    if (place == TOP && (told->mask & IN_MOVE_SELF) != 0) end(EVENT_RENAME);
    if (place == TOP && (told->mask & (IN_DELETE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0) end(EVENT_REMOVE);
    if ((told->mask & IN_IGNORED) != 0) {
        watched_remove(place, forget_watch);
        return;
    }
    if (told->len == 0) { /* of the directory itself, of which its parent tells too, if that is watched */
        if (place == TOP && (told->mask & IN_ATTRIB) != 0) tell(EVENT_CHMOD, "");
        return;
    }
    if (!watched_path(place, told->name, &path)) {
        overflown = true;
        return;
    }
    if ((told->mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
        tell(EVENT_CREATE, path.path);
        if (directory && (request->flags & WATCH_TREE) != 0) watch_new(place, &path);
    }
    if ((told->mask & IN_MODIFY) != 0) tell(EVENT_WRITE, path.path);
    if ((told->mask & IN_ATTRIB) != 0) tell(EVENT_CHMOD, path.path);
    if ((told->mask & IN_DELETE) != 0) tell(EVENT_REMOVE, path.path);
    if ((told->mask & IN_MOVED_FROM) != 0) {
        tell(EVENT_RENAME, path.path);
        int child = directory ? watched_child(place, told->name) : WATCHED_NONE;
        if (child != WATCHED_NONE) watched_remove(child, forget_watch);
    }
}

/* Of what was missed nothing is known but that it was; from here on all is told again. */
static void begin_again(void) {
    running = false;
    if (!begin()) end(EVENT_REMOVE);
    running = true;
    overflown = false;
    stream_overflow();
}

void file_watch(const struct file_request *asked) {
    static _Alignas(struct inotify_event) char buffer[BUFFER];
    request = asked;
    if (!begin()) stream_failed(errno, "", "The directory cannot be opened");
    running = true;
    stream_ready();
    for (;;) {
        stream_flush(); /* a host that reads nothing lets the kernel's queue overflow, and nothing grows */
        ssize_t n = read(inotify, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) stream_failed(n < 0 ? errno : EIO, "", "The changes cannot be read");
        for (ssize_t i = 0; i < n;) {
            const struct inotify_event *told = (const struct inotify_event *)(buffer + i);
            told_of(told);
            i += (ssize_t)(sizeof *told + told->len);
        }
        if (opened_top >= 0) close(opened_top);
        opened_top = -1;
        if (overflown) begin_again();
    }
}
