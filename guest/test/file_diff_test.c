/* DIFF: what a directory tells that is the upper one of an overlay. */
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "files_work.h"

/* All that a DIFF of the directory tells, a line for each record but DATA. */
static char told[8192];

static void tell(const char *what, struct text text, struct text value) {
    size_t length = strlen(told);
    snprintf(told + length, sizeof told - length, "%s %.*s%s%.*s\n", what, (int)text.length, text.bytes,
             value.length > 0 ? "=" : "", (int)value.length, value.bytes);
}

static bool take(int from, uint8_t *bytes, size_t length) {
    for (size_t have = 0; have < length;) {
        ssize_t n = read(from, bytes + have, length - have);
        CHECK(n >= 0 && (n > 0 || have == 0));
        if (n == 0) return false;
        have += (size_t)n;
    }
    return true;
}

static int diff_of(const char *directory) {
    static uint8_t bytes[RECORD_MAX];
    static const char *const kinds[] = {"", "file", "directory", "link", "fifo", "character device", "block device", "socket"};
    int out[2], error = -1;
    CHECK(pipe2(out, O_CLOEXEC) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        int upper = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        CHECK(upper >= 0 && dup2(upper, 0) == 0 && dup2(out[1], 1) == 1);
        file_operation(&(struct file_request){.operation = FILE_DIFF, .path = "/", .target = ""});
    }
    close(out[1]);
    told[0] = '\0';
    while (take(out[0], bytes, RECORD_HEADER)) {
        uint32_t type = get32(bytes), length = get32(bytes + 4);
        CHECK(length <= RECORD_BODY_MAX && (length == 0 || take(out[0], bytes + RECORD_HEADER, length)));
        struct cursor cursor = {.next = bytes + RECORD_HEADER, .left = length};
        struct record record;
        size_t taken;
        switch (type) {
            case RECORD_ENTRY:
                CHECK(record_decode(bytes, sizeof bytes, &record, &taken) == RECORD_WHOLE);
                tell(kinds[record.entry.kind], record.entry.name, record.entry.target);
                break;
            case RECORD_ATTRIBUTE: {
                struct text name = cursor_text(&cursor), value = cursor_text(&cursor);
                CHECK(cursor_done(&cursor));
                if (strncmp(name.bytes, "security.", 9) != 0) tell("attribute", name, value);
                break;
            }
            case RECORD_REMOVED: {
                struct text name = cursor_text(&cursor);
                CHECK(cursor_done(&cursor));
                tell("removed", name, (struct text){0});
                break;
            }
            case RECORD_OPAQUE: tell("opaque", (struct text){0}, (struct text){0}); break;
            case RECORD_DONE: error = 0; break;
            case RECORD_FAILED: error = (int)get32(bytes + RECORD_HEADER); break;
            default: CHECK(type == RECORD_DATA);
        }
    }
    close(out[0]);
    struct child child = {.pid = pid};
    CHECK(wait_for(&child) == (error == 0 ? 0 : 1));
    return error;
}

static bool tells(const char *line) { return strstr(told, line) != NULL; }

static void it_tells_what_was_made_changed_and_removed(void) {
    CHECK(mkdir(at("a"), 0755) == 0 && mkdir(at("a/etc"), 0755) == 0);
    make_file(at("a/etc/passwd"), "x", 0600);
    CHECK(symlink("passwd", at("a/etc/link")) == 0 && mknod(at("a/etc/gone"), S_IFCHR, makedev(0, 0)) == 0);
    CHECK(diff_of(at("a")) == 0);
    CHECK(tells("directory \n") && tells("directory etc\n") && tells("file etc/passwd\n"));
    CHECK(tells("link etc/link=passwd\n") && tells("removed etc/gone\n") && !tells("device"));
}

static void it_leaves_out_what_is_of_this_guest_alone(void) {
    static const char *const own[] = {"hosts", "hostname", "resolv.conf", "machine-id"};
    static const char *const mounted[] = {"run", "dev", "proc", "sys"};
    char path[64];
    CHECK(mkdir(at("b"), 0755) == 0 && mkdir(at("b/etc"), 0755) == 0 && mkdir(at("b/opt"), 0755) == 0);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "b/etc/%s", own[i]);
        make_file(at(path), "own", 0644);
        snprintf(path, sizeof path, "b/%s", mounted[i]);
        CHECK(mkdir(at(path), 0755) == 0);
        snprintf(path, sizeof path, "b/%s/secret", mounted[i]);
        make_file(at(path), "secret", 0400);
        snprintf(path, sizeof path, "b/opt/%s", mounted[i]);
        CHECK(mkdir(at(path), 0755) == 0);
    }
    CHECK(mknod(at("b/socket"), S_IFSOCK | 0600, 0) == 0);
    CHECK(diff_of(at("b")) == 0);
    CHECK(!tells("secret") && !tells("socket") && !tells("etc/"));
    CHECK(tells("directory opt/run\n") && tells("directory opt/sys\n")); /* the same names elsewhere are the image's */
}

/* What trusted.overlay says only root can write. */
static void attributes_come_without_the_overlays_own(void) {
    CHECK(mkdir(at("c"), 0755) == 0 && mkdir(at("c/new"), 0755) == 0);
    make_file(at("c/new/file"), "x", 0600);
    CHECK(setxattr(at("c/new/file"), "user.kept", "value", 5, 0) == 0);
    bool root = setxattr(at("c/new"), "trusted.overlay.opaque", "y", 1, 0) == 0;
    CHECK(root || errno == EPERM);
    CHECK(!root || setxattr(at("c/new"), "trusted.overlay.origin", "z", 1, 0) == 0);
    CHECK(diff_of(at("c")) == 0);
    CHECK(tells("file new/file\nattribute user.kept=value\n") && !tells("trusted"));
    CHECK(tells("directory new\nopaque \n") == root);
    if (!root) return;
    CHECK(setxattr(at("c/new"), "trusted.overlay.redirect", "/old", 4, 0) == 0);
    CHECK(diff_of(at("c")) == EOPNOTSUPP);
}

int main(void) {
    begin_work();
    it_tells_what_was_made_changed_and_removed();
    it_leaves_out_what_is_of_this_guest_alone();
    attributes_come_without_the_overlays_own();
    end_work();
    fprintf(stderr, "file diff: ok\n");
    return 0;
}
