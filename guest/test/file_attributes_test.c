/* ATTRIBUTES, and what is given to an owner; owners only as root. */
#include <sys/xattr.h>

#include "files_work.h"

static size_t attribute(uint8_t *out, uint32_t type, const char *name, const char *value) {
    size_t length = attribute_encode(out, text_of(name), text_of(value == NULL ? "" : value));
    if (value != NULL) return length;
    put32(out, type);
    put32(out + 4, (uint32_t)(length - RECORD_HEADER - 4)); /* a name alone */
    return length - 4;
}

static void put_attribute(struct child *child, uint32_t type, const char *name, const char *value) {
    static uint8_t out[RECORD_MAX];
    put(child, out, attribute(out, type, name, value));
}

static bool has(const char *path, const char *name, const char *value) {
    char bytes[100];
    ssize_t n = lgetxattr(path, name, bytes, sizeof bytes);
    return value == NULL ? n < 0 && errno == ENODATA : n == (ssize_t)strlen(value) && memcmp(bytes, value, (size_t)n) == 0;
}

static void attributes_are_set_and_taken_away(void) {
    make_file(at("file"), "x", 0600);
    CHECK(setxattr(at("file"), "user.old", "1", 1, 0) == 0 && symlink("file", at("link")) == 0);
    for (uint32_t follow = 0; follow < 2; follow++) {
        struct child c = start(&(struct file_request){.operation = FILE_ATTRIBUTES, .flags = follow, .path = at("link")});
        put_attribute(&c, RECORD_ATTRIBUTE, "user.new", "2");
        put_attribute(&c, RECORD_NO_ATTRIBUTE, "user.old", NULL);
        put_attribute(&c, RECORD_NO_ATTRIBUTE, "user.never", NULL);
        put_done(&c);
        /* No link has attributes of users. */
        CHECK(finish(&c) == (follow ? 0 : EPERM));
        CHECK(has(at("file"), "user.new", follow ? "2" : NULL) && has(at("file"), "user.old", follow ? NULL : "1"));
    }
}

static int set(const char *path, uint32_t flags, uint32_t mode) {
    struct child c = start(&(struct file_request){.operation = FILE_ATTRIBUTES, .flags = flags, .mode = mode, .path = path});
    put_done(&c);
    return finish(&c);
}

static uint32_t mode_of(const char *path) {
    struct stat status;
    CHECK(lstat(path, &status) == 0);
    return status.st_mode & 07777;
}

static void the_mode_is_set_of_anything_but_a_link(void) {
    make_file(at("shut"), "x", 0);
    CHECK(symlink("shut", at("to shut")) == 0 && mkfifo(at("pipe"), 0600) == 0 && mkdir(at("directory"), 0700) == 0);
    CHECK(set(at("shut"), ATTRIBUTES_MODE, 04751) == 0 && mode_of(at("shut")) == 04751);
    CHECK(set(at("to shut"), ATTRIBUTES_MODE, 0640) == EOPNOTSUPP && mode_of(at("shut")) == 04751);
    CHECK(set(at("to shut"), ATTRIBUTES_MODE | ATTRIBUTES_FOLLOW, 0640) == 0 && mode_of(at("shut")) == 0640);
    CHECK(set(at("pipe"), ATTRIBUTES_MODE, 0) == 0 && mode_of(at("pipe")) == 0); /* not opened: nothing reads it */
    CHECK(set(at("directory"), ATTRIBUTES_MODE, 01777) == 0 && mode_of(at("directory")) == 01777);
    CHECK(set(at("shut"), 0, 0) == 0 && mode_of(at("shut")) == 0640);
    CHECK(set(at("none"), 0, 0) == ENOENT);
}

static void what_is_none_of_users_or_too_much_is_refused(void) {
    static const char *const bad[] = {"user.", "trusted.a", "security.capability", "u", ""};
    make_file(at("bad"), "x", 0600);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct child c = start(&(struct file_request){.operation = FILE_ATTRIBUTES, .path = at("bad")});
        put_attribute(&c, RECORD_ATTRIBUTE, bad[i], "v");
        put_done(&c);
        CHECK(finish(&c) == EINVAL);
    }
    struct child c = start(&(struct file_request){.operation = FILE_ATTRIBUTES, .path = at("bad")});
    put_data(&c, 0, "abc");
    CHECK(finish(&c) == EINVAL);
    c = start(&(struct file_request){.operation = FILE_ATTRIBUTES, .path = at("bad")});
    for (int i = 0; i < 1025; i++) put_attribute(&c, RECORD_NO_ATTRIBUTE, "user.none", NULL);
    put_done(&c);
    CHECK(finish(&c) == EFBIG);
    /* Other operations take none. */
    c = start(&(struct file_request){.operation = FILE_COPY_IN, .path = at("copy")});
    put_kind(&c, ENTRY_FILE, "", 0);
    put_attribute(&c, RECORD_ATTRIBUTE, "user.a", "v");
    CHECK(finish(&c) == EINVAL && !exists(at("copy")));
}

static bool belongs(const char *path, uid_t uid, gid_t gid) {
    struct stat status;
    CHECK(lstat(path, &status) == 0);
    return status.st_uid == uid && status.st_gid == gid;
}

static void what_is_made_is_given_to_its_owner(void) {
    if (geteuid() != 0) return;
    struct file_request make = {
        .operation = FILE_MKDIR, .flags = MKDIR_PARENTS | MKDIR_OWNER, .mode = 02750, .path = at("given/a/b"), .owner = "x", .uid = 7, .gid = 8};
    CHECK(mkdir(at("given"), 0755) == 0 && run(&make) == 0 && run(&make) == 0);
    CHECK(belongs(at("given"), 0, 0) && belongs(at("given/a"), 7, 8) && belongs(at("given/a/b"), 7, 8));
    CHECK(mode_of(at("given/a/b")) == 02750);
    CHECK(symlink("led", at("given/to nothing")) == 0);
    static const char *const names[] = {"given/file", "given/to nothing"};
    static const char *const files[] = {"given/file", "given/led"};
    for (int i = 0; i < 2; i++) {
        struct file_request write = {
            .operation = FILE_WRITE, .flags = WRITE_OWNER, .mode = 06755, .path = at(names[i]), .owner = "x", .uid = 7, .gid = 8};
        struct child c = start(&write);
        put_data(&c, 0, "abc");
        put_done(&c);
        CHECK(finish(&c) == 0 && has_content(at(files[i]), "abc"));
        CHECK(belongs(at(files[i]), 7, 8) && mode_of(at(files[i])) == 06755);
    }
    /* What was there keeps its owner. */
    make_file(at("given/mine"), "old", 0600);
    struct child c = start(&(struct file_request){
        .operation = FILE_WRITE, .flags = WRITE_OWNER, .path = at("given/mine"), .owner = "x", .uid = 7, .gid = 8});
    put_data(&c, 0, "new");
    put_done(&c);
    CHECK(finish(&c) == 0 && has_content(at("given/mine"), "new") && belongs(at("given/mine"), 0, 0));
}

static void the_owner_is_set_before_the_mode(void) {
    if (geteuid() != 0) return;
    make_file(at("owned"), "x", 0600);
    CHECK(symlink("owned", at("to owned")) == 0);
    for (uint32_t follow = 0; follow < 2; follow++) {
        struct file_request change = {.operation = FILE_ATTRIBUTES, .flags = follow | ATTRIBUTES_OWNER | (follow ? ATTRIBUTES_MODE : 0u),
            .mode = follow ? 04755 : 0, .path = at("to owned"), .owner = "x", .uid = 9, .gid = 10};
        struct child c = start(&change);
        put_done(&c);
        CHECK(finish(&c) == 0 && belongs(at("to owned"), 9, 10));
        CHECK(belongs(at("owned"), follow ? 9 : 0, follow ? 10 : 0));
    }
    CHECK(mode_of(at("owned")) == 04755);
}

int main(void) {
    begin_work();
    attributes_are_set_and_taken_away();
    the_mode_is_set_of_anything_but_a_link();
    what_is_none_of_users_or_too_much_is_refused();
    what_is_made_is_given_to_its_owner();
    the_owner_is_set_before_the_mode();
    end_work();
    fprintf(stderr, "file attributes: ok\n");
    return 0;
}
