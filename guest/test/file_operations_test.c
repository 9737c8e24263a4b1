/* The operations on one file or directory. */
#include "files_work.h"

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

int main(void) {
    begin_work();
    state_is_told();
    a_file_is_read_in_part();
    a_file_is_written_in_place();
    directories_are_made_and_things_renamed();
    end_work();
    fprintf(stderr, "file operations: ok\n");
    return 0;
}
