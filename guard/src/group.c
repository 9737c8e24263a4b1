#include "group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "records.h"
#include "wall.h"

/* Where control groups of version 2 are, if they are the host's only ones: others have no controllers. */
static const char ROOT[] = "/sys/fs/cgroup";

/* What owners are moved into: only a group without processes may give controllers to those below it. */
static const char OWNERS[] = "cloche.owners";

/* Of VMs' groups, and of nothing else. */
static const char PREFIX[] = "cloche-";

/* Ids of VMs are those of one state root: a copy of it has the same ones. */
enum { TRIES = 100, NAME_MAX_LENGTH = 80 };

/* A process that is born while others are moved has to be moved too. */
enum { MOVES = 20 };

/* What was killed is gone within milliseconds, unless the disk keeps it. */
enum { END_PATIENCE_MS = 2000 };

/* An owner is what ends VMs, and must not wait for them. */
static const char OWNERS_WEIGHT[] = "1000";

static struct {
    bool named;
    bool entered; /* a child was started in it */
    int directory; /* the VM's */
    int parent;
    int fd; /* of the group; locked for as long as the guard lives */
    int kill, events, memory_events, memory_peak; /* its files, opened before the guard is confined; -1: it has none */
    char parent_path[512];
    char name[NAME_MAX_LENGTH];
    char missing[160];
    int enabling; /* why its parent gives it no more controllers; 0: it has no more */
} group = {.parent = -1, .fd = -1, .kill = -1, .events = -1, .memory_events = -1, .memory_peak = -1};

static void miss(const char *what, const char *why) {
    size_t length = strlen(group.missing);
    snprintf(group.missing + length, sizeof group.missing - length, "%s%s: %s", length > 0 ? "; " : "", what, why);
}

/* There is no group at all. */
static void none(const char *why) { snprintf(group.missing, sizeof group.missing, "%s", why); }

static int open_file(int directory, const char *name, int flags) {
    return openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC);
}

static int open_group(int directory, const char *name) { return open_file(directory, name, O_RDONLY | O_DIRECTORY); }

/* The kernel takes each write to these files as a whole. */
static bool set(int directory, const char *name, const char *value) {
    int fd = open_file(directory, name, O_WRONLY);
    if (fd < 0) return false;
    size_t length = strlen(value);
    bool written = write(fd, value, length) == (ssize_t)length;
    int error = errno;
    close(fd);
    errno = error;
    return written;
}

/* Answers what a file says, cut off where it is longer; empty if it cannot be read. */
static void get(int fd, char *text, size_t size) {
    ssize_t n = fd < 0 ? -1 : pread(fd, text, size - 1, 0);
    text[n < 0 ? 0 : n] = '\0';
}

static void get_named(int directory, const char *name, char *text, size_t size) {
    int fd = open_file(directory, name, O_RDONLY);
    get(fd, text, size);
    if (fd >= 0) close(fd);
}

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        bool begins = at == words || at[-1] == ' ';
        if (begins && strchr(" \n", at[length]) != NULL) return true;
    }
    return false;
}

/* As field of "NAME VALUE" lines; -1 if there is none. */
static int64_t field(int fd, const char *name) {
    char text[1024];
    get(fd, text, sizeof text);
    size_t length = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') return strtoll(line + length, NULL, 10);
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return -1;
}

static bool is_group(int fd) {
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* systemd says so of groups that are left to their processes. */
static bool is_delegated(int fd) {
    static const char *const names[] = {"user.delegate", "trusted.delegate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char value;
        if (fgetxattr(fd, names[i], &value, 1) == 1 && value == '1') return true;
    }
    return false;
}

/* The guard's own group; false if it is not to be found below ROOT. */
static bool own_path(char *path, size_t size) {
    char text[4096];
    int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    get(fd, text, sizeof text);
    if (fd >= 0) close(fd);
    const char *line = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
    if (line == NULL) return false;
    line = strchr(line, '/');
    int length = (int)strcspn(line, "\n");
    /* What is outside of the namespace of groups, or has gone. */
    if (strncmp(line, "/..", 3) == 0 || line[length] != '\n') return false;
    int n = snprintf(path, size, "%s%.*s", ROOT, length > 1 ? length : 0, line);
    return n > 0 && (size_t)n < size;
}

static bool is_scope(const char *path) {
    static const char end[] = ".scope";
    size_t length = strlen(path);
    return length >= sizeof end && strcmp(path + length - (sizeof end - 1), end) == 0;
}

/* Its own group if that is delegated, else the one around it. */
static int find_parent(void) {
    char *path = group.parent_path;
    int fd = own_path(path, sizeof group.parent_path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool found = fd >= 0 && is_group(fd);
    if (!found) none("this host has no control groups of version 2 alone, or does not show them");
    bool own_delegated = false;
    for (int i = 0; found && i < 2 && strcmp(path, ROOT) != 0; i++) {
        bool delegated = is_delegated(fd);
        /* Nothing is started anew in a scope. Into a service's group systemd puts the next process, and cannot once it gives
         * controllers to others. */
        if (delegated && (i > 0 || is_scope(path))) return fd;
        if (delegated) own_delegated = true;
        *strrchr(path, '/') = '\0';
        int around = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = around;
    }
    if (own_delegated) none("this process is in that of its service itself, which DelegateSubgroup= changes");
    else if (found) none("none is delegated to this process");
    if (fd >= 0) close(fd);
    return -1;
}

/* Groups are gone when the host has started anew, so the last one of the path is made. */
static int open_parent(const char *path) {
    int length = snprintf(group.parent_path, sizeof group.parent_path, "%s", path);
    if (path[0] != '/' || (size_t)length >= sizeof group.parent_path) {
        errno = EINVAL;
        return -1;
    }
    struct statfs fs;
    char around[sizeof group.parent_path];
    snprintf(around, sizeof around, "%.*s/", (int)(strrchr(path, '/') - path), path);
    /* Only among groups. */
    if (statfs(around, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC) (void)mkdir(path, 0755);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || is_group(fd)) return fd;
    close(fd);
    errno = ENOTSUP;
    return -1;
}

/* Moves the processes of a group that is delegated to its owners into one below it. */
static void move_owners(int parent) {
    if (mkdirat(parent, OWNERS, 0755) != 0 && errno != EEXIST) return;
    int owners = open_group(parent, OWNERS);
    if (owners < 0) return;
    int fd = open_file(parent, "cgroup.procs", O_RDONLY);
    FILE *processes = fd < 0 ? NULL : fdopen(fd, "r");
    char pid[24];
    while (processes != NULL && fscanf(processes, "%23s", pid) == 1) (void)set(owners, "cgroup.procs", pid);
    if (processes != NULL) fclose(processes);
    close(owners);
}

/* Has a group give a controller to those below it; false with errno. */
static bool enable(int parent, const char *controller, bool delegated) {
    char word[16];
    snprintf(word, sizeof word, "+%s", controller);
    for (int move = 0; !set(parent, "cgroup.subtree_control", word); move++) {
        if (errno != EBUSY || !delegated || move == MOVES) return false;
        move_owners(parent);
    }
    return true;
}

/* Has it give those that it has itself. */
static void enable_all(int parent, bool delegated) {
    /* With io the kernel writes back what a group has written; memory that is limited is full of it otherwise. */
    static const char *const wanted[] = {"memory", "pids", "cpu", "io"};
    char there[256], enabled[256];
    get_named(parent, "cgroup.controllers", there, sizeof there);
    get_named(parent, "cgroup.subtree_control", enabled, sizeof enabled);
    bool changed = false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!has_word(there, wanted[i]) || has_word(enabled, wanted[i])) continue;
        if (enable(parent, wanted[i], delegated)) changed = true;
        else group.enabling = errno;
    }
    int owners = changed ? open_group(parent, OWNERS) : -1;
    if (owners < 0) return;
    (void)set(owners, "cpu.weight", OWNERS_WEIGHT);
    close(owners);
}

/* Locks a group, which is that of a guard that lives if another one has it locked. False too if it was removed meanwhile. */
static bool lock(const char *name, int fd) {
    struct stat here, there;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &here) == 0 &&
           fstatat(group.parent, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && here.st_ino == there.st_ino;
}

static int64_t monotonic_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until what was killed in a group is gone. */
static void await_empty(int events) {
    int64_t until = monotonic_ms() + END_PATIENCE_MS;
    for (int64_t left; field(events, "populated") > 0 && (left = until - monotonic_ms()) > 0;) {
        struct pollfd change = {.fd = events, .events = POLLPRI};
        if (poll(&change, 1, (int)left) < 0 && errno != EINTR) return;
    }
}

/* Removes a group whose guard is gone: the kernel has killed its program, but may be not what that has started. */
static bool clear(const char *name, int fd) {
    (void)set(fd, "cgroup.kill", "1");
    int events = open_file(fd, "cgroup.events", O_RDONLY);
    if (events >= 0) {
        await_empty(events);
        close(events);
    }
    return unlinkat(group.parent, name, AT_REMOVEDIR) == 0;
}

/* Makes the group; false with errno, EEXIST if there is one of this name. */
static bool make_named(void) {
    bool made = mkdirat(group.parent, group.name, 0755) == 0;
    if (!made && errno != EEXIST) return false;
    int fd = open_group(group.parent, group.name);
    bool locked = fd >= 0 && lock(group.name, fd);
    if (locked && made) {
        group.fd = fd;
        return true;
    }
    /* What a guard has left that was killed, or else one that sweeps has it for an instant, and removes it. */
    bool gone = locked ? clear(group.name, fd) : made;
    if (fd >= 0) close(fd);
    errno = gone ? EAGAIN : EEXIST;
    return false;
}

/* Makes it under the first name that no living guard has. */
static bool make(const char *vm) {
    for (int try = 0, copy = 0; try < TRIES; try++) {
        if (copy == 0) snprintf(group.name, sizeof group.name, "%s%s", PREFIX, vm);
        else snprintf(group.name, sizeof group.name, "%s%s.%d", PREFIX, vm, copy);
        if (make_named()) return true;
        if (errno != EAGAIN && errno != EEXIST) return false;
        if (errno == EEXIST) copy++;
    }
    return false;
}

static pid_t fork_into(unsigned long long flags) {
    struct clone_args arguments = {.flags = flags | CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)group.fd};
    return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

static pid_t fork_beside(unsigned long long flags) {
    return flags == 0 ? fork() : (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
}

/* By a child that does nothing; false with errno. */
static bool can_be_entered(void) {
    pid_t child = fork_into(0);
    if (child == 0) _exit(0);
    if (child < 0) return false;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return true;
}

/* Nothing has been in it. */
static void abandon(void) {
    int error = errno;
    if (group.named) fail("the group %s is not to be had (%s)", group.parent_path, strerror(error));
    close(group.fd);
    group.fd = -1;
    unlinkat(group.parent, group.name, AT_REMOVEDIR);
    none(strerror(error));
    record_group(group.directory, NULL, NULL, group.missing);
}

pid_t group_fork(unsigned long long flags) {
    if (group.fd < 0) return fork_beside(flags);
    pid_t pid = fork_into(flags);
    /* Only the first child may find out that the group cannot be entered. What refuses namespaces is not the group. */
    if (pid >= 0 || group.entered) {
        group.entered = true;
        return pid;
    }
    int error = errno;
    group.entered = flags != 0 && can_be_entered();
    if (!group.entered) {
        abandon();
        return fork_beside(flags);
    }
    errno = error;
    return -1;
}

static void limit(const char *what, const char *file, int64_t most) {
    char value[24];
    snprintf(value, sizeof value, "%lld", (long long)most);
    if (most <= 0 || set(group.fd, file, value)) return;
    int error = errno == ENOENT ? group.enabling : errno;
    miss(what, error == 0 ? "the group around it does not have it" : strerror(error));
}

/* What is written to such a file system counts as memory, and cannot be taken back. */
static bool is_in_memory(const struct statfs *fs) { return fs->f_type == TMPFS_MAGIC || fs->f_type == RAMFS_MAGIC; }

/* The program's disk, or the VM's directory, beside which its memory is captured. */
static bool writes_to_memory(const char *disk) {
    struct statfs of_disk, of_vm;
    return (statfs(disk, &of_disk) == 0 && is_in_memory(&of_disk)) || (fstatfs(group.directory, &of_vm) == 0 && is_in_memory(&of_vm));
}

static void set_limits(const struct group_wish *wish, const char *disk) {
    if (wish->memory_bytes > 0 && writes_to_memory(disk)) {
        miss("memory", "the disk is in memory itself");
    } else {
        limit("memory", "memory.max", wish->memory_bytes);
    }
    /* What is left of a VM without one of its processes is none. */
    (void)set(group.fd, "memory.oom.group", "1");
    limit("tasks", "pids.max", wish->tasks);
    limit("processor time", "cpu.weight", wish->weight);
}

static bool begin(const struct group_wish *wish, const char *vm) {
    group.parent = group.named ? open_parent(wish->parent) : find_parent();
    if (group.parent < 0) return false;
    enable_all(group.parent, !group.named);
    if (make(vm)) return true;
    if (!group.named) none(strerror(errno));
    return false;
}

/* The last part of the VM's directory. */
static const char *id_of(const char *vm, char *id, size_t size) {
    snprintf(id, size, "%s", vm);
    size_t length = strlen(id);
    while (length > 1 && id[length - 1] == '/') id[--length] = '\0';
    const char *slash = strrchr(id, '/');
    return slash == NULL ? id : slash + 1;
}

void group_begin(const struct group_wish *wish, const char *vm, int directory, const char *disk) {
    if (wish->parent == NULL) return;
    char path[4096];
    const char *id = id_of(vm, path, sizeof path);
    group.directory = directory;
    group.named = strcmp(wish->parent, "auto") != 0;
    enum { LONGEST_ID = NAME_MAX_LENGTH - 16 };
    errno = ENAMETOOLONG;
    if (strlen(id) > LONGEST_ID || !begin(wish, id)) {
        if (group.named) fail("the group %s is not to be had (%s)", wish->parent, strerror(errno));
        record_group(directory, NULL, NULL, group.missing);
        return;
    }
    set_limits(wish, disk);
    group.kill = open_file(group.fd, "cgroup.kill", O_WRONLY);
    group.events = open_file(group.fd, "cgroup.events", O_RDONLY);
    group.memory_events = open_file(group.fd, "memory.events", O_RDONLY);
    group.memory_peak = open_file(group.fd, "memory.peak", O_RDONLY);
    record_group(directory, group.parent_path, group.name, group.missing);
}

void group_sweep(void) {
    if (group.fd < 0) return;
    int fd = openat(group.parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = fd < 0 ? NULL : fdopendir(fd);
    if (all == NULL) return;
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
        int one = open_group(group.parent, entry->d_name);
        if (one < 0) continue;
        if (lock(entry->d_name, one)) (void)clear(entry->d_name, one);
        close(one);
    }
    closedir(all);
}

void group_allow(const struct wall *wall) {
    if (group.fd >= 0) wall_allow(wall, group.parent_path, WALL_REMOVE_DIRECTORY);
}

struct group_use group_end(void) {
    struct group_use use = {.memory_peak = -1, .oom_kills = -1};
    if (group.fd < 0) return use;
    char peak[24];
    get(group.memory_peak, peak, sizeof peak);
    if (peak[0] != '\0') use.memory_peak = strtoll(peak, NULL, 10);
    use.oom_kills = field(group.memory_events, "oom_kill");
    ssize_t ignored = group.kill < 0 ? -1 : write(group.kill, "1", 1);
    (void)ignored;
    await_empty(group.events);
    (void)unlinkat(group.parent, group.name, AT_REMOVEDIR);
    close(group.fd);
    group.fd = -1;
    return use;
}
