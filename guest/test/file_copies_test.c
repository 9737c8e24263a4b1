/* Copies that meet something in their way, a host that lies, an early end, or a change of what they read. */
#include "files_work.h"

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

int main(void) {
    begin_work();
    a_copy_replaces_what_is_there_but_no_filled_directory();
    links_in_the_destination_lead_nowhere();
    a_host_that_lies_reaches_nothing();
    a_copy_that_ends_early_leaves_nothing();
    a_file_that_changes_meanwhile_keeps_its_size();
    end_work();
    fprintf(stderr, "file copies: ok\n");
    return 0;
}
