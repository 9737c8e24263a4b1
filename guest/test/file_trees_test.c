/* Whole trees that are copied, listed and removed; owners and devices only as root. */
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "files_work.h"

static void make_sparse(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    CHECK(fd >= 0 && pwrite(fd, "begin", 5, 0) == 5 && pwrite(fd, "middle", 6, 5 << 20) == 6);
    CHECK(ftruncate(fd, 9 << 20) == 0 && close(fd) == 0);
}

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    close(fd);
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

int main(void) {
    begin_work();
    a_tree_comes_out_as_it_went_in();
    ten_thousand_entries_are_streamed();
    a_tree_deeper_than_a_name_is_refused_and_removed_no_deeper();
    end_work();
    fprintf(stderr, "file trees: ok\n");
    return 0;
}
