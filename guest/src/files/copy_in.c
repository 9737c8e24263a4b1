/* COPY_IN: makes a file or a tree of records, none of which is trusted. Each directory is opened once, by its name in the
 * one above it and never through a link, and stays open while the records are below it: so no record, and no link that
 * another process puts in its way, leads out of the destination. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "files/file_operation.h"
#include "files/path_stack.h"
#include "files/record_stream.h"
#include "files/split.h"
#include "files/temp_file.h"

/* What is set when the thing is complete. */
struct attributes {
    uint32_t mode;
    uid_t uid;
    gid_t gid;
    struct timespec modified;
};

struct level {
    int fd;
    bool made; /* by this copy, which then sets its attributes */
    struct attributes attributes;
};

static struct level levels[ENTRY_DEPTH_MAX + 1];
static int depth;
static struct path_stack stack; /* of the innermost level */
static bool set_owners;

static struct {
    bool open;
    struct temp_file temp;
    struct attributes attributes;
    uint64_t position, size;
    char name[ENTRY_NAME_MAX + 1]; /* for a failure */
    char leaf[PATH_LENGTH_MAX + 1];
} file;

static struct attributes attributes_of(const struct entry *entry) {
    return (struct attributes){
        .mode = entry->mode,
        .uid = entry->uid,
        .gid = entry->gid,
        .modified = {.tv_sec = entry->seconds, .tv_nsec = entry->nanoseconds},
    };
}

/* The mode after the owner, whose change clears bits; the times last. */
static void set_attributes(int fd, const struct attributes *attributes, const char *name) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, attributes->modified};
    if (set_owners && fchown(fd, attributes->uid, attributes->gid) != 0) {
        stream_failed(errno, name, "The owner cannot be set");
    }
    if (fchmod(fd, attributes->mode) != 0) stream_failed(errno, name, "The permission bits cannot be set");
    if (futimens(fd, times) != 0) stream_failed(errno, name, "The time cannot be set");
}

static void finish_file(void) {
    if (!file.open) return;
    set_attributes(file.temp.fd, &file.attributes, file.name);
    if (!temp_file_publish(&file.temp, file.leaf)) stream_failed(errno, file.name, "The file cannot get its name");
    close(file.temp.fd);
    file.open = false;
}

static void leave_directory(void) {
    struct level *level = &levels[--depth];
    if (level->made) set_attributes(level->fd, &level->attributes, stack.path);
    close(level->fd);
    if (depth > 0) path_stack_pop(&stack);
}

static void begin_file(int directory, const struct entry *entry, const char *name, const char *leaf) {
    if (!temp_file_create(&file.temp, directory)) stream_failed(errno, name, "The file cannot be made");
    if (ftruncate(file.temp.fd, (off_t)entry->size) != 0) stream_failed(errno, name, "The file cannot get its size");
    file.open = true;
    file.attributes = attributes_of(entry);
    file.position = 0;
    file.size = entry->size;
    strcpy(file.name, name);
    strcpy(file.leaf, leaf);
}

/* What others can write to as well may be something else by now: then it is not touched. */
static int pin(int directory, const char *name, mode_t kind) {
    struct stat status;
    int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == kind && status.st_nlink == 1 &&
        status.st_uid == geteuid()) {
        return fd;
    }
    errno = ESTALE;
    return -1;
}

/* Links, pipes and devices: their permission bits are those that they are made with. */
static void make_other(int directory, const struct entry *entry, const char *name, const char *leaf) {
    static const mode_t kinds[] = {
        [ENTRY_LINK] = S_IFLNK,
        [ENTRY_FIFO] = S_IFIFO,
        [ENTRY_CHARACTER_DEVICE] = S_IFCHR,
        [ENTRY_BLOCK_DEVICE] = S_IFBLK,
    };
    struct temp_file temp;
    struct attributes attributes = attributes_of(entry);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, attributes.modified};
    bool made;
    if (entry->kind == ENTRY_LINK) {
        char target[ENTRY_NAME_MAX + 1];
        memcpy(target, entry->target.bytes, entry->target.length);
        target[entry->target.length] = '\0';
        made = temp_file_create_link(&temp, directory, target);
    } else {
        mode_t mode = kinds[entry->kind] | entry->mode;
        made = temp_file_create_node(&temp, directory, mode, makedev(entry->major, entry->minor));
    }
    if (!made) stream_failed(errno, name, "It cannot be made");
    int fd = pin(directory, temp.temporary, kinds[entry->kind]);
    if (fd < 0) stream_failed(errno, name, "Another process has changed it");
    if (set_owners && fchownat(fd, "", attributes.uid, attributes.gid, AT_EMPTY_PATH) != 0) {
        stream_failed(errno, name, "The owner cannot be set");
    }
    if (utimensat(fd, "", times, AT_EMPTY_PATH) != 0) stream_failed(errno, name, "The time cannot be set");
    close(fd);
    if (!temp_file_publish(&temp, leaf)) stream_failed(errno, name, "It cannot get its name");
}

/* Answers whether it is a new one; what is there and is no directory goes. */
static bool make_directory(int parent, const char *name, const char *leaf) {
    if (mkdirat(parent, leaf, 0700) == 0) return true;
    struct stat status;
    if (errno == EEXIST && fstatat(parent, leaf, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISDIR(status.st_mode)) return false;
        if (unlinkat(parent, leaf, 0) == 0 && mkdirat(parent, leaf, 0700) == 0) return true;
    }
    stream_failed(errno, name, "The directory cannot be made");
}

static void push_level(int fd, bool made, const struct entry *entry) {
    levels[depth++] = (struct level){.fd = fd, .made = made, .attributes = attributes_of(entry)};
}

/* A directory that was there needs no rights but those to make files in it; a new one is given its attributes later. */
static void enter_directory(int parent, const struct entry *entry, const char *name, const char *leaf) {
    struct stat status;
    bool made = make_directory(parent, name, leaf);
    int fd = openat(parent, leaf, (made ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) stream_failed(errno, name, "The directory cannot be opened");
    if (made && (fstat(fd, &status) != 0 || status.st_uid != geteuid())) {
        stream_failed(ESTALE, name, "Another process has changed it");
    }
    push_level(fd, made, entry);
}

static void make(int parent, const struct entry *entry, const char *name, const char *leaf) {
    switch (entry->kind) {
        case ENTRY_FILE: begin_file(parent, entry, name, leaf); break;
        case ENTRY_DIRECTORY: enter_directory(parent, entry, name, leaf); break;
        case ENTRY_SOCKET: break;
        default: make_other(parent, entry, name, leaf); break;
    }
}

/* Leaves directories until the name's parent is the innermost, and answers the name's last part. */
static const char *climb_to_parent_of(const char *name) {
    const char *slash = strrchr(name, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - name);
    while (depth > 0 && (stack.length > length || memcmp(stack.path, name, stack.length) != 0 ||
                         (stack.length > 0 && name[stack.length] != '/'))) {
        leave_directory();
    }
    if (depth == 0 || stack.length != length) {
        stream_failed(EINVAL, "", "An ENTRY is below what is no directory of the copy, or was left already");
    }
    return slash == NULL ? name : slash + 1;
}

static void take_entry(const struct entry *entry) {
    char name[ENTRY_NAME_MAX + 1];
    if (entry->name.length == 0) stream_failed(EINVAL, "", "Only the first ENTRY has the empty name");
    memcpy(name, entry->name.bytes, entry->name.length);
    name[entry->name.length] = '\0';
    const char *leaf = climb_to_parent_of(name);
    int parent = levels[depth - 1].fd;
    if (entry->kind == ENTRY_DIRECTORY) {
        if (!path_stack_push(&stack, leaf)) stream_failed(ENAMETOOLONG, name, "The tree is too deep");
    }
    make(parent, entry, name, leaf);
}

static void take_data(const struct record *record) {
    struct text bytes = record->bytes;
    if (!file.open || record->offset < file.position || record->offset + bytes.length > file.size) {
        stream_failed(EINVAL, file.open ? file.name : "", "A DATA belongs to no file, or not where it says");
    }
    file.position = record->offset + bytes.length;
    for (uint64_t at = record->offset; at < file.position;) {
        ssize_t n = pwrite(file.temp.fd, bytes.bytes + (at - record->offset), file.position - at, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) stream_failed(errno, file.name, "The file cannot be written");
        at += (uint64_t)n;
    }
}

/* The path's last part may be a name that is to be made, or stand for a directory that is there. */
static void begin(const char *path, const struct entry *entry) {
    struct split split;
    split_path(path, &split);
    bool directory = split.leaf[0] == '\0' || split_leaf_is_dots(&split) || path[strlen(path) - 1] == '/';
    int fd = directory ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        if (entry->kind != ENTRY_DIRECTORY) stream_failed(EISDIR, "", "It is a directory");
        push_level(fd, false, entry);
        return;
    }
    if (directory && (errno != ENOENT || entry->kind != ENTRY_DIRECTORY || split_leaf_is_dots(&split))) {
        stream_failed(errno, "", "The directory cannot be opened");
    }
    int parent = open(split.parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) stream_failed(errno, "", "The directory that it belongs in cannot be opened");
    make(parent, entry, "", split.leaf);
}

void copy_in(const struct file_request *request) {
    struct record record;
    set_owners = (request->flags & COPY_IN_OWNERS) != 0;
    temp_file_prepare();
    stream_next(&record);
    if (record.type != RECORD_ENTRY || record.entry.name.length > 0) {
        stream_failed(EINVAL, "", "The first record is not an ENTRY with the empty name");
    }
    if (record.entry.kind == ENTRY_SOCKET) stream_failed(EOPNOTSUPP, "", "A socket cannot be copied");
    begin(request->path, &record.entry);
    for (stream_next(&record); record.type != RECORD_DONE; stream_next(&record)) {
        if (record.type == RECORD_DATA) {
            take_data(&record);
            continue;
        }
        if (record.type != RECORD_ENTRY) stream_failed(EINVAL, "", "COPY_IN takes ENTRY, DATA and DONE only");
        finish_file();
        take_entry(&record.entry);
    }
    finish_file();
    while (depth > 0) leave_directory();
}
