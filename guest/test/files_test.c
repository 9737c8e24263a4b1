/* The file operations on the file system of whoever runs the test; owners and devices only as root. */
#include <dirent.h>
#include <ftw.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "files_host.h"

static char work[64];

static const char *at(const char *name) {
    static char paths[8][8192];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", work, name);
    return path;
}

static void make_file(const char *path, const char *content, mode_t mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) && fchmod(fd, mode) == 0);
    close(fd);
}

static bool has_content(const char *path, const char *content) {
    char bytes[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0) close(fd);
    return n == (ssize_t)strlen(content) && memcmp(bytes, content, (size_t)n) == 0;
}

static bool exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static int count(const char *path) {
    DIR *directory = opendir(path);
    int found = -2; /* . and .. */
    CHECK(directory != NULL);
    while (readdir(directory) != NULL) found++;
    closedir(directory);
    return found;
}

/* --- a tree of everything --- */

static void make_sparse(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    CHECK(fd >= 0 && pwrite(fd, "begin", 5, 0) == 5 && pwrite(fd, "middle", 6, 5 << 20) == 6);
    CHECK(ftruncate(fd, 9 << 20) == 0 && close(fd) == 0);
}

static void make_big(const char *path, size_t size) {
    uint64_t seed = 3;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)next_random(&seed);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
    free(bytes);
}

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    close(fd);
}

static void give_time(const char *path, long seconds, long nanoseconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {seconds, nanoseconds}};
    CHECK(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0);
}

static void make_everything(const char *top) {
    char path[8192], name[256];
#define IN(...) (snprintf(path, sizeof path, "%s/", top), snprintf(path + strlen(path), 4096, __VA_ARGS__), path)
    CHECK(mkdir(top, 0751) == 0);
    make_file(IN("file"), "content", 0644);
    make_file(IN("setuid"), "#!", 06755);
    make_file(IN("unreadable name \n\t\xff\xc3\xa4"), "x", 0400);
    make_file(IN("empty"), "", 0);
    memset(name, 'n', 255);
    name[255] = '\0';
    make_file(IN("%s", name), "long", 0600);
    make_sparse(IN("sparse"));
    make_big(IN("big"), 1000003);
    CHECK(truncate((make_file(IN("hole"), "", 0600), path), 1 << 20) == 0);
    CHECK(symlink("../../nowhere", IN("link")) == 0);
    give_time(path, 5, 6);
    CHECK(mkfifo(IN("fifo"), 0620) == 0 && chmod(path, 0620) == 0);
    give_time(path, 7, 8);
    CHECK(mkdir(IN("empty directory"), 0700) == 0 && chmod(path, 02775) == 0);
    CHECK(mkdir(IN("closed"), 0700) == 0 && mkdir(IN("closed/deeper"), 0700) == 0);
    make_file(IN("closed/deeper/file"), "inside", 0600);
    give_time(path, -1000000000, 1);
    CHECK(chmod(IN("closed/deeper"), 0500) == 0);
    give_time(path, 1000, 2000);
    CHECK(chmod(IN("closed"), 0555) == 0);
    give_time(path, 1234567890, 123456789);
    give_time(IN("file"), 4000000000, 999999999);
    if (geteuid() == 0) {
        CHECK(chown(IN("file"), 1234, 4321) == 0 && lchown(IN("link"), 1, 2) == 0 && chown(IN("closed"), 3, 4) == 0);
        CHECK(chown(IN("fifo"), 70000, 70001) == 0);
        CHECK(mknod(IN("null"), S_IFCHR | 0666, makedev(1, 3)) == 0 && chmod(path, 0666) == 0);
    }
    give_time(top, 77, 88);
}

static void equal_content(int a, int b, off_t size) {
    static char left[1 << 20], right[1 << 20];
    for (off_t at_ = 0; at_ < size; at_ += (off_t)sizeof left) {
        ssize_t n = pread(a, left, sizeof left, at_);
        CHECK(n > 0 && pread(b, right, sizeof right, at_) == n && memcmp(left, right, (size_t)n) == 0);
    }
    for (off_t position = 0; position < size;) { /* the same holes */
        off_t data = lseek(a, position, SEEK_DATA);
        CHECK(lseek(b, position, SEEK_DATA) == data);
        if (data < 0) break;
        position = lseek(a, data, SEEK_HOLE);
        CHECK(lseek(b, data, SEEK_HOLE) == position);
    }
}

static void equal_trees(int left, int right, const char *name, bool owners) {
    struct stat a, b;
    CHECK(fstatat(left, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstatat(right, name, &b, AT_SYMLINK_NOFOLLOW) == 0);
    CHECK(a.st_mode == b.st_mode && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec);
    CHECK(a.st_rdev == b.st_rdev && (S_ISDIR(a.st_mode) || a.st_size == b.st_size));
    if (owners) CHECK(a.st_uid == b.st_uid && a.st_gid == b.st_gid);
    if (S_ISLNK(a.st_mode)) {
        char x[256] = "", y[256] = "";
        CHECK(readlinkat(left, name, x, 255) > 0 && readlinkat(right, name, y, 255) > 0 && strcmp(x, y) == 0);
    } else if (S_ISREG(a.st_mode) && geteuid() == 0) {
        int x = openat(left, name, O_RDONLY | O_CLOEXEC), y = openat(right, name, O_RDONLY | O_CLOEXEC);
        CHECK(x >= 0 && y >= 0);
        equal_content(x, y, a.st_size);
        close(x);
        close(y);
    } else if (S_ISDIR(a.st_mode)) {
        int x = openat(left, name, O_RDONLY | O_CLOEXEC), y = openat(right, name, O_RDONLY | O_CLOEXEC);
        CHECK(x >= 0 && y >= 0);
        DIR *directory = fdopendir(x), *other = fdopendir(dup(y));
        int more = 0;
        while (readdir(other) != NULL) more++;
        for (struct dirent *entry; (entry = readdir(directory)) != NULL; more--) {
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) equal_trees(x, y, entry->d_name, owners);
        }
        CHECK(more == 0);
        closedir(other);
        closedir(directory);
        close(y);
    }
}

/* The records of one copy are those of the other: COPY_OUT's stdout is COPY_IN's stdin. */
static int copy_to(const char *jail, const char *from, const char *to, uint32_t flags) {
    struct child out = start(&(struct file_request){.operation = FILE_COPY_OUT, .path = from});
    struct child in = start_in(jail, &(struct file_request){.operation = FILE_COPY_IN, .flags = flags, .path = to});
    char bytes[65536];
    close(out.to);
    for (ssize_t n; (n = read(out.from, bytes, sizeof bytes)) > 0;) put(&in, bytes, (size_t)n);
    close(out.from);
    CHECK(wait_for(&out) == 0);
    return finish(&in);
}

static int copy(const char *from, const char *to, uint32_t flags) { return copy_to(NULL, from, to, flags); }

static void a_tree_comes_out_as_it_went_in(void) {
    bool root = geteuid() == 0;
    make_everything(at("everything"));
    if (!root) CHECK(chmod(at("everything/empty"), 0400) == 0);
    CHECK(copy(at("everything"), at("again"), root ? COPY_IN_OWNERS : 0) == 0);
    equal_trees(AT_FDCWD, AT_FDCWD, work, true); /* the comparison itself */
    int left = open(at("everything"), O_RDONLY | O_CLOEXEC), right = open(at("again"), O_RDONLY | O_CLOEXEC);
    equal_trees(left, right, ".", root);
    close(left);
    close(right);
    /* Sockets are left out. */
    make_socket(at("everything/socket"));
    CHECK(copy(at("everything"), at("third"), 0) == 0 && !exists(at("third/socket")));
    CHECK(run(&(struct file_request){.operation = FILE_COPY_OUT, .path = at("everything/socket")}) == EOPNOTSUPP);
    if (!root) return;
    struct stat status; /* without the flag all belongs to the user */
    CHECK(stat(at("third/file"), &status) == 0 && status.st_uid == 0 && status.st_gid == 0);
    CHECK(unlink(at("everything/socket")) == 0);
    give_time(at("everything"), 77, 88);
    /* Where there is no /proc, files have temporary names meanwhile. */
    CHECK(mkdir(at("jail"), 0755) == 0 && copy_to(at("jail"), at("everything"), "/tree", COPY_IN_OWNERS) == 0);
    left = open(at("everything"), O_RDONLY | O_CLOEXEC);
    right = open(at("jail/tree"), O_RDONLY | O_CLOEXEC);
    equal_trees(left, right, ".", true);
    close(left);
    close(right);
}

static void ten_thousand_entries_are_streamed(void) {
    char path[8192];
    CHECK(mkdir(at("many"), 0755) == 0);
    for (int i = 0; i < 10000; i++) {
        snprintf(path, sizeof path, "%s/many/a name of some length %d", work, i);
        if (i % 10 == 0) {
            CHECK(mkdir(path, 0755) == 0);
        } else {
            make_file(path, "x", 0644);
        }
    }
    struct child list = start(&(struct file_request){.operation = FILE_LIST, .path = at("many")});
    struct record record;
    int entries = 0;
    while (get(&list, &record) && record.type == RECORD_ENTRY) entries++;
    CHECK(entries == 10000 && record.type == RECORD_DONE && wait_for(&list) == 0);
    close(list.to);
    close(list.from);
    CHECK(copy(at("many"), at("many2"), 0) == 0 && count(at("many2")) == 10000);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .path = at("many2")}) == ENOTEMPTY);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("many2")}) == 0);
    CHECK(!exists(at("many2")));
}

/* --- what is in the way --- */

static int copy_one(const char *path, uint32_t kind) {
    struct child in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = path});
    put_kind(&in, kind, "", kind == ENTRY_FILE ? 3 : 0);
    if (kind == ENTRY_FILE) put_data(&in, 0, "new");
    put_done(&in);
    return finish(&in);
}

static void a_copy_replaces_what_is_there_but_no_filled_directory(void) {
    struct stat status;
    CHECK(mkdir(at("w"), 0755) == 0 && mkdir(at("w/empty"), 0755) == 0 && mkdir(at("w/full"), 0710) == 0);
    make_file(at("w/full/kept"), "kept", 0600);
    make_file(at("w/old"), "old", 0600);
    CHECK(symlink("full", at("w/link")) == 0);
    CHECK(copy_one(at("w/old"), ENTRY_FILE) == 0 && has_content(at("w/old"), "new"));
    CHECK(copy_one(at("w/old"), ENTRY_LINK) == 0 && copy_one(at("w/old"), ENTRY_DIRECTORY) == 0);
    CHECK(copy_one(at("w/old"), ENTRY_FIFO) == 0 && stat(at("w/old"), &status) == 0 && S_ISFIFO(status.st_mode));
    CHECK(copy_one(at("w/empty"), ENTRY_FILE) == 0 && has_content(at("w/empty"), "new"));
    CHECK(copy_one(at("w/full"), ENTRY_FILE) == ENOTEMPTY && has_content(at("w/full/kept"), "kept"));
    CHECK(copy_one(at("w/full"), ENTRY_DIRECTORY) == 0 && has_content(at("w/full/kept"), "kept"));
    CHECK(stat(at("w/full"), &status) == 0 && (status.st_mode & 07777) == 0710); /* merged, so it keeps its own */
    CHECK(copy_one(at("w/link/"), ENTRY_DIRECTORY) == 0);
    CHECK(lstat(at("w/link"), &status) == 0 && S_ISLNK(status.st_mode)); /* a slash means where it leads */
    CHECK(copy_one(at("w/link/"), ENTRY_FILE) == EISDIR && copy_one(at("w/full/."), ENTRY_DIRECTORY) == 0);
    CHECK(copy_one(at("w/link"), ENTRY_DIRECTORY) == 0 && lstat(at("w/link"), &status) == 0 && S_ISDIR(status.st_mode));
    CHECK(copy_one(at("w/new/"), ENTRY_DIRECTORY) == 0 && copy_one(at("w/new2/"), ENTRY_FILE) == ENOENT);
    CHECK(copy_one(at("none/new"), ENTRY_FILE) == ENOENT && copy_one(at("w/empty/new"), ENTRY_FILE) == ENOTDIR);
    CHECK(copy_one(at("w/new/socket"), ENTRY_SOCKET) == EOPNOTSUPP);
    CHECK(count(at("w")) == 5);
}

static void links_in_the_destination_lead_nowhere(void) {
    CHECK(mkdir(at("outside"), 0755) == 0 && mkdir(at("d"), 0755) == 0 && symlink("../outside", at("d/sub")) == 0);
    make_file(at("outside/file"), "safe", 0600);
    CHECK(symlink("../outside/file", at("d/target")) == 0);
    struct child in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("d")});
    put_kind(&in, ENTRY_DIRECTORY, "", 0);
    put_kind(&in, ENTRY_FILE, "target", 4);
    put_data(&in, 0, "evil");
    put_kind(&in, ENTRY_DIRECTORY, "sub", 0); /* replaces the link */
    put_kind(&in, ENTRY_FILE, "sub/file", 4);
    put_data(&in, 0, "evil");
    put_done(&in);
    CHECK(finish(&in) == 0 && has_content(at("outside/file"), "safe") && count(at("outside")) == 1);
    CHECK(has_content(at("d/sub/file"), "evil") && has_content(at("d/target"), "evil"));
    /* Put in the way while the copy is on: the directory is open, and the link is not followed. */
    in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("d")});
    put_kind(&in, ENTRY_DIRECTORY, "", 0);
    put_kind(&in, ENTRY_DIRECTORY, "live", 0);
    put_kind(&in, ENTRY_FILE, "live/first", 0);
    put_kind(&in, ENTRY_FILE, "live/second", 0);
    while (!exists(at("d/live/first"))) usleep(1000);
    CHECK(rename(at("d/live"), at("moved")) == 0 && symlink("../outside", at("d/live")) == 0);
    put_kind(&in, ENTRY_FILE, "live/file", 4);
    put_data(&in, 0, "evil");
    put_done(&in);
    CHECK(finish(&in) == 0 && has_content(at("outside/file"), "safe") && has_content(at("moved/file"), "evil"));
}

static int second_entry(uint32_t first, uint32_t kind, const char *name) {
    struct child in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("evil/top")});
    put_kind(&in, first, "", 0);
    put_kind(&in, ENTRY_LINK, "link", 0);
    put_kind(&in, ENTRY_FILE, "file", 0);
    put_kind(&in, ENTRY_DIRECTORY, "a", 0);
    put_kind(&in, ENTRY_DIRECTORY, "b", 0);
    put_kind(&in, kind, name, 0);
    put_done(&in);
    return finish(&in);
}

static void a_host_that_lies_reaches_nothing(void) {
    static const char *const bad[] = {"/etc/x", "../x", "a/../../x", "a//x", "./x", "b/", "", "link/x", "file/x", "none/x",
                                      "a/x" /* was left already */};
    CHECK(mkdir(at("evil"), 0755) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(second_entry(ENTRY_DIRECTORY, ENTRY_FILE, bad[i]) == EINVAL);
        CHECK(second_entry(ENTRY_DIRECTORY, ENTRY_DIRECTORY, bad[i]) == EINVAL);
        CHECK(count(at("evil")) == 1 && count(at("evil/top")) == 4 && count(at("evil/top/a")) == 0);
    }
    char deep[3000] = "a";
    for (int i = 1; i < 1026; i++) memcpy(deep + 2 * i - 1, "/a", 3);
    CHECK(second_entry(ENTRY_DIRECTORY, ENTRY_FILE, deep) == ENAMETOOLONG);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("evil/top")}) == 0);
    CHECK(second_entry(ENTRY_LINK, ENTRY_FILE, "x") == EINVAL); /* below a link that the copy itself made */
    struct stat status;
    CHECK(lstat(at("evil/top"), &status) == 0 && S_ISLNK(status.st_mode));
    CHECK(unlink(at("evil/top")) == 0);

    static const struct {
        uint64_t size, first, second;
    } lies[] = {{2, 0, 0}, {6, 3, 0}, {6, 3, 2}, {6, 3, INT64_MAX - 3}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct child in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("evil/file")});
        put_kind(&in, ENTRY_FILE, "", lies[i].size);
        put_data(&in, lies[i].first, "abc");
        put_data(&in, lies[i].second, "abc");
        put_done(&in);
        CHECK(finish(&in) == EINVAL && count(at("evil")) == 0);
    }
    struct child in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("evil/file")});
    put_kind(&in, ENTRY_FILE, "", INT64_MAX);
    put_data(&in, INT64_MAX - 10, "abc");
    put_done(&in);
    int error = finish(&in); /* too large for any file system but tmpfs */
    CHECK((error == EFBIG || error == 0) && count(at("evil")) == (error == 0));
    in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("evil/d")});
    put_kind(&in, ENTRY_DIRECTORY, "", 0);
    put_data(&in, 0, "abc");
    CHECK(finish(&in) == EINVAL);
    in = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("evil/garbage")});
    put(&in, "a shell script\n", 15);
    CHECK(finish(&in) == EINVAL && !exists(at("evil/garbage")));
}

static void a_copy_that_ends_early_leaves_nothing(void) {
    for (int way = 0; way < 5; way++) {
        const char *jail = way == 4 && geteuid() == 0 ? at("half") : NULL;
        mkdir(at("half"), 0755);
        struct file_request request = {.operation = FILE_COPY_IN, .path = jail == NULL ? at("half/tree") : "/tree"};
        struct child in = start_in(jail, &request);
        put_kind(&in, ENTRY_DIRECTORY, "", 0);
        put_kind(&in, ENTRY_FILE, "whole", 3);
        put_data(&in, 0, "abc");
        put_kind(&in, ENTRY_FILE, "half", 1 << 20);
        put_data(&in, 0, "abc");
        while (!exists(at("half/tree/whole"))) usleep(1000);
        CHECK(!exists(at("half/tree/half")));
        if (way == 0) {
            CHECK(finish(&in) == ECANCELED);
        } else if (way == 1) {
            uint8_t failed[FAILED_RECORD_MAX];
            put(&in, failed, failed_encode(failed, EIO, text_of("x"), text_of("The host's disk is broken.")));
            CHECK(finish(&in) == ECANCELED);
        } else {
            kill(in.pid, way == 3 ? SIGKILL : SIGTERM);
            int status = wait_for(&in);
            CHECK(status == (way == 3 ? 1000 + SIGKILL : 128 + SIGTERM));
            close(in.to);
            close(in.from);
        }
        CHECK(count(at("half/tree")) == 1 && has_content(at("half/tree/whole"), "abc"));
        CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("half/tree")}) == 0);
    }
}

/* --- what changes meanwhile --- */

static void a_file_that_changes_meanwhile_keeps_its_size(void) {
    for (int grows = 0; grows < 2; grows++) {
        make_big(at("changing"), 1 << 20);
        struct child out = start(&(struct file_request){.operation = FILE_COPY_OUT, .path = at("changing")});
        struct record record;
        CHECK(get(&out, &record) && record.type == RECORD_ENTRY && record.entry.size == 1 << 20);
        /* The pipe and the child's buffer hold less than a fifth of it. */
        CHECK(truncate(at("changing"), grows ? 1 << 24 : 300000) == 0);
        uint64_t end = 0;
        while (get(&out, &record) && record.type == RECORD_DATA) {
            CHECK(record.offset == end);
            end += record.bytes.length;
        }
        CHECK(record.type == RECORD_DONE && wait_for(&out) == 0);
        CHECK(grows ? end == 1 << 20 : end < 1 << 20 && end >= 300000);
        close(out.to);
        close(out.from);
        CHECK(unlink(at("changing")) == 0);
    }
}

static void a_tree_deeper_than_a_name_is_refused_and_removed_no_deeper(void) {
    CHECK(mkdir(at("deep"), 0755) == 0);
    int fd = open(at("deep"), O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < ENTRY_DEPTH_MAX; i++) {
        CHECK(mkdirat(fd, "d", 0755) == 0);
        int next = openat(fd, "d", O_RDONLY | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    CHECK(copy(at("deep"), at("deep2"), 0) == 0);
    struct file_request remove = {.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("deep2")};
    CHECK(run(&remove) == 0 && !exists(at("deep2")));
    CHECK(mkdirat(fd, "d", 0755) == 0);
    CHECK(run(&(struct file_request){.operation = FILE_COPY_OUT, .path = at("deep")}) == ENAMETOOLONG);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("deep")}) == ENAMETOOLONG);
    CHECK(unlinkat(fd, "d", AT_REMOVEDIR) == 0 && close(fd) == 0);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("deep")}) == 0);
}

/* --- the small ones --- */

static void state_is_told(void) {
    struct record record;
    make_file(at("stated"), "12345", 0604);
    give_time(at("stated"), 11, 12);
    CHECK(symlink("stated", at("to stated")) == 0);
    for (uint32_t follow = 0; follow < 2; follow++) {
        struct child c = start(&(struct file_request){.operation = FILE_STAT, .flags = follow, .path = at("to stated")});
        CHECK(get(&c, &record) && record.type == RECORD_ENTRY && record.entry.name.length == 0);
        if (follow) {
            CHECK(record.entry.kind == ENTRY_FILE && record.entry.mode == 0604 && record.entry.size == 5);
            CHECK(record.entry.seconds == 11 && record.entry.nanoseconds == 12 && record.entry.uid == geteuid());
        } else {
            CHECK(record.entry.kind == ENTRY_LINK && record.entry.target.length == 6);
        }
        CHECK(finish(&c) == 0);
    }
    CHECK(run(&(struct file_request){.operation = FILE_STAT, .path = at("none")}) == ENOENT);
    CHECK(run(&(struct file_request){.operation = FILE_LIST, .path = at("none")}) == ENOENT);
    CHECK(run(&(struct file_request){.operation = FILE_LIST, .path = at("stated")}) == ENOTDIR);
}

static void a_file_is_read_in_part(void) {
    make_file(at("read"), "0123456789", 0644);
    static const struct {
        uint64_t offset, length;
        const char *wanted;
    } cases[] = {{0, UINT64_MAX, "0123456789"}, {3, 4, "3456"}, {8, 100, "89"}, {0, 0, ""}, {50, 5, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file_request r = {.operation = FILE_READ, .offset = cases[i].offset, .length = cases[i].length, .path = at("read")};
        struct child c = start(&r);
        struct record record;
        CHECK(get(&c, &record));
        if (*cases[i].wanted != '\0') {
            CHECK(record.type == RECORD_DATA && record.offset == cases[i].offset);
            CHECK(record.bytes.length == strlen(cases[i].wanted) && memcmp(record.bytes.bytes, cases[i].wanted, record.bytes.length) == 0);
            CHECK(get(&c, &record));
        }
        CHECK(record.type == RECORD_DONE && wait_for(&c) == 0);
        close(c.to);
        close(c.from);
    }
    CHECK(run(&(struct file_request){.operation = FILE_READ, .length = 1, .path = at("")}) == EISDIR);
}

static int write_to(const char *path, uint32_t flags, uint64_t from, uint64_t first, uint64_t second) {
    struct file_request r = {.operation = FILE_WRITE, .flags = flags, .mode = 0640, .offset = from, .path = path};
    struct child c = start(&r);
    put_data(&c, first, "abc");
    put_data(&c, second, "xyz");
    put_done(&c);
    return finish(&c);
}

static void a_file_is_written_in_place(void) {
    struct stat status;
    CHECK(write_to(at("written"), 0, 0, 0, 3) == 0 && has_content(at("written"), "abcxyz"));
    CHECK(stat(at("written"), &status) == 0 && (status.st_mode & 07777) == 0640);
    CHECK(write_to(at("written"), 0, 4, 4, 7) == 0 && has_content(at("written"), "abcxabcxyz"));
    CHECK(write_to(at("written"), WRITE_TRUNCATE, 0, 0, 4) == 0);
    CHECK(stat(at("written"), &status) == 0 && status.st_size == 7);
    CHECK(write_to(at("written"), WRITE_APPEND, 0, 0, 3) == 0);
    CHECK(stat(at("written"), &status) == 0 && status.st_size == 13);
    CHECK(write_to(at("written"), WRITE_EXCLUSIVE, 0, 0, 3) == EEXIST);
    CHECK(write_to(at("written"), WRITE_APPEND, 0, 0, 4) == EINVAL);
    CHECK(write_to(at("new"), 0, 4, 3, 7) == EINVAL && !exists(at("new")));
    CHECK(write_to(at("new"), 0, 0, 0, 2) == EINVAL && !exists(at("new")));
    CHECK(symlink("led to", at("dangling")) == 0 && write_to(at("dangling"), 0, 0, 0, 3) == 0);
    CHECK(has_content(at("led to"), "abcxyz") && write_to(at(""), 0, 0, 0, 3) == EISDIR);
    struct child c = start(&(struct file_request){.operation = FILE_WRITE, .mode = 0600, .path = at("killed")});
    put_data(&c, 0, "abc");
    while (!exists(at("killed"))) usleep(1000);
    kill(c.pid, SIGTERM);
    CHECK(wait_for(&c) == 128 + SIGTERM && !exists(at("killed")));
    close(c.to);
    close(c.from);
}

static void directories_are_made_and_things_renamed(void) {
    struct stat status;
    struct file_request r = {.operation = FILE_MKDIR, .mode = 02750, .path = at("m/n/o")};
    CHECK(run(&r) == ENOENT);
    r.flags = MKDIR_PARENTS;
    CHECK(run(&r) == 0 && run(&r) == 0 && stat(at("m/n/o"), &status) == 0 && (status.st_mode & 07777) == 02750);
    r.flags = 0;
    CHECK(run(&r) == EEXIST);
    make_file(at("m/file"), "a", 0600);
    r = (struct file_request){.operation = FILE_MKDIR, .flags = MKDIR_PARENTS, .path = at("m/file")};
    CHECK(run(&r) == EEXIST);
    r.path = at("m/file/x");
    CHECK(run(&r) == ENOTDIR);
    make_file(at("m/other"), "b", 0600);
    struct file_request rename = {.operation = FILE_RENAME, .flags = RENAME_KEEP, .path = at("m/file"), .target = at("m/other")};
    CHECK(run(&rename) == EEXIST);
    rename.flags = 0;
    CHECK(run(&rename) == 0 && has_content(at("m/other"), "a") && !exists(at("m/file")) && run(&rename) == ENOENT);
    CHECK(symlink("n", at("m/link")) == 0);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("m/link/")}) == 0);
    CHECK(exists(at("m/n/o")) && !exists(at("m/link")));
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = "///"}) == EBUSY);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("m/..")}) == EINVAL);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .flags = REMOVE_TREE, .path = at("none")}) == ENOENT);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .path = at("m/n/o/")}) == 0);
    CHECK(run(&(struct file_request){.operation = FILE_REMOVE, .path = at("m/other")}) == 0);
}

static int open_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status, (void)where;
    return kind == FTW_D ? chmod(path, 0700) : 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status, (void)where;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

int main(void) {
    const char *temporary = getenv("TMPDIR");
    snprintf(work, sizeof work, "%.40s/cloche-files-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    CHECK(mkdtemp(work) != NULL);
    signal(SIGPIPE, SIG_IGN);
    a_tree_comes_out_as_it_went_in();
    ten_thousand_entries_are_streamed();
    a_copy_replaces_what_is_there_but_no_filled_directory();
    links_in_the_destination_lead_nowhere();
    a_host_that_lies_reaches_nothing();
    a_copy_that_ends_early_leaves_nothing();
    a_file_that_changes_meanwhile_keeps_its_size();
    a_tree_deeper_than_a_name_is_refused_and_removed_no_deeper();
    state_is_told();
    a_file_is_read_in_part();
    a_file_is_written_in_place();
    directories_are_made_and_things_renamed();
    CHECK(nftw(work, open_one, 16, FTW_PHYS) == 0);
    CHECK(nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
    fprintf(stderr, "files: ok\n");
    return 0;
}
