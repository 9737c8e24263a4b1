/* WATCH: what it tells of a tree that changes, and how it ends. */
#include "files/watched_tree.h"
#include "files_work.h"

struct told {
    uint32_t type, event;
    bool entry;
    uint32_t kind, mode; /* of the entry */
    uint64_t size;
    int error;
    char name[ENTRY_NAME_MAX + 1];
};

static bool take(struct child *child, uint8_t *bytes, size_t length) {
    for (size_t have = 0; have < length;) {
        ssize_t n = read(child->from, bytes + have, length - have);
        CHECK(n >= 0 && (n > 0 || have == 0));
        if (n == 0) return false;
        have += (size_t)n;
    }
    return true;
}

static void copy_name(struct told *told, struct text name) {
    CHECK(name.length < sizeof told->name);
    memcpy(told->name, name.bytes, name.length);
    told->name[name.length] = '\0';
}

/* The next record, an entry with its event; false at the end. */
static bool next(struct child *child, struct told *told) {
    static uint8_t bytes[RECORD_MAX];
    struct record record;
    size_t taken;
    *told = (struct told){0};
    if (!take(child, bytes, RECORD_HEADER)) return false;
    uint32_t length = get32(bytes + 4);
    CHECK(length <= RECORD_BODY_MAX && (length == 0 || take(child, bytes + RECORD_HEADER, length)));
    told->type = get32(bytes);
    if (told->type == RECORD_FAILED) told->error = (int)get32(bytes + RECORD_HEADER);
    if (told->type != RECORD_EVENT) return true;
    struct cursor cursor = {.next = bytes + RECORD_HEADER, .left = length};
    told->event = cursor_u32(&cursor);
    told->entry = cursor_u32(&cursor) == 1;
    copy_name(told, cursor_text(&cursor));
    CHECK(cursor_done(&cursor));
    if (!told->entry) return true;
    CHECK(take(child, bytes, RECORD_HEADER) && get32(bytes) == RECORD_ENTRY && take(child, bytes + RECORD_HEADER, get32(bytes + 4)));
    CHECK(record_decode(bytes, sizeof bytes, &record, &taken) == RECORD_WHOLE);
    CHECK(record.entry.name.length == strlen(told->name) && memcmp(record.entry.name.bytes, told->name, strlen(told->name)) == 0);
    told->kind = record.entry.kind;
    told->mode = record.entry.mode;
    told->size = record.entry.size;
    return true;
}

static struct child watch(const char *path, uint32_t flags) {
    struct told told;
    struct child child = start(&(struct file_request){.operation = FILE_WATCH, .flags = flags, .path = path});
    CHECK(next(&child, &told) && told.type == RECORD_READY);
    return child;
}

/* Passes over what else is told, which may be twice. */
static struct told await(struct child *child, enum event event, const char *name) {
    struct told told;
    do CHECK(next(child, &told) && told.type == RECORD_EVENT);
    while (told.event != event || strcmp(told.name, name) != 0);
    return told;
}

static void end(struct child *child) {
    kill(child->pid, SIGKILL);
    close(child->to);
    close(child->from);
    CHECK(wait_for(child) == 1000 + SIGKILL);
}

static void one_directory(void) {
    CHECK(mkdir(at("one"), 0700) == 0);
    struct child child = watch(at("one"), WATCH_ENTRIES);
    make_file(at("one/file"), "content", 0640);
    struct told created = await(&child, EVENT_CREATE, "file");
    CHECK(created.entry && created.kind == ENTRY_FILE);
    await(&child, EVENT_WRITE, "file");
    await(&child, EVENT_CHMOD, "file");
    CHECK(chmod(at("one/file"), 0600) == 0);
    struct told changed = await(&child, EVENT_CHMOD, "file");
    CHECK(changed.entry && changed.size == 7 && changed.mode == 0600);
    CHECK(rename(at("one/file"), at("one/other name")) == 0);
    CHECK(!await(&child, EVENT_RENAME, "file").entry);
    CHECK(await(&child, EVENT_CREATE, "other name").size == 7);
    CHECK(symlink("other name", at("one/link")) == 0);
    CHECK(await(&child, EVENT_CREATE, "link").kind == ENTRY_LINK);
    CHECK(unlink(at("one/link")) == 0);
    await(&child, EVENT_REMOVE, "link");
    CHECK(chmod(at("one"), 0711) == 0);
    CHECK(await(&child, EVENT_CHMOD, "").mode == 0711);
    /* What is below it is not told of. */
    CHECK(mkdir(at("one/below"), 0700) == 0);
    make_file(at("one/below/file"), "x", 0600);
    make_file(at("one/last"), "x", 0600);
    struct told told;
    do {
        CHECK(next(&child, &told) && told.type == RECORD_EVENT);
        CHECK(strcmp(told.name, "below/file") != 0);
    } while (strcmp(told.name, "last") != 0);
    end(&child);
}

static void whole_tree(void) {
    CHECK(mkdir(at("tree"), 0700) == 0 && mkdir(at("tree/a"), 0700) == 0 && mkdir(at("tree/a/b"), 0700) == 0);
    CHECK(mkdir(at("outside"), 0700) == 0 && mkdir(at("outside/in"), 0700) == 0 && symlink("../outside", at("tree/link")) == 0);
    make_file(at("outside/in/file"), "x", 0600);
    struct child child = watch(at("tree"), WATCH_TREE);
    make_file(at("tree/a/b/deep"), "x", 0600);
    CHECK(!await(&child, EVENT_CREATE, "a/b/deep").entry);
    /* A link is not followed, neither of before nor of now. */
    CHECK(symlink("../../outside", at("tree/a/link")) == 0);
    make_file(at("outside/unseen"), "x", 0600);
    /* What is in a new directory before it is watched is listed. */
    CHECK(mkdir(at("tree/new"), 0700) == 0);
    for (int i = 0; i < 50; i++) {
        char name[64];
        snprintf(name, sizeof name, "tree/new/%d", i);
        CHECK(mkdir(at(name), 0700) == 0);
        strcat(name, "/file");
        make_file(at(name), "x", 0600);
    }
    bool seen[50] = {0};
    for (int left = 50; left > 0;) {
        struct told told;
        int i, length = 0;
        CHECK(next(&child, &told) && told.type == RECORD_EVENT && strstr(told.name, "unseen") == NULL);
        if (sscanf(told.name, "new/%d/file%n", &i, &length) != 1 || length == 0 || seen[i]) continue;
        seen[i] = true;
        left--;
    }
    /* A directory that is moved is told of by its new name, and what comes from outside is listed. */
    CHECK(rename(at("tree/a/b"), at("tree/moved")) == 0);
    await(&child, EVENT_RENAME, "a/b");
    await(&child, EVENT_CREATE, "moved");
    await(&child, EVENT_CREATE, "moved/deep");
    make_file(at("tree/moved/later"), "x", 0600);
    await(&child, EVENT_CREATE, "moved/later");
    CHECK(rename(at("outside/in"), at("tree/in")) == 0);
    await(&child, EVENT_CREATE, "in/file");
    CHECK(rename(at("tree/in"), at("outside/in")) == 0);
    await(&child, EVENT_RENAME, "in");
    make_file(at("outside/in/unseen"), "x", 0600);
    CHECK(unlink(at("tree/moved/deep")) == 0 && unlink(at("tree/moved/later")) == 0 && rmdir(at("tree/moved")) == 0);
    struct told told;
    do {
        CHECK(next(&child, &told) && told.type == RECORD_EVENT && strstr(told.name, "unseen") == NULL);
    } while (told.event != EVENT_REMOVE || strcmp(told.name, "moved") != 0);
    end(&child);
}

static void its_own_end(void) {
    struct told told;
    CHECK(mkdir(at("gone"), 0700) == 0);
    struct child child = watch(at("gone"), WATCH_TREE);
    CHECK(rmdir(at("gone")) == 0);
    CHECK(next(&child, &told) && told.event == EVENT_REMOVE && told.name[0] == '\0');
    CHECK(next(&child, &told) && told.type == RECORD_DONE && !next(&child, &told));
    CHECK(wait_for(&child) == 0);
    CHECK(mkdir(at("named"), 0700) == 0);
    child = watch(at("named"), 0);
    CHECK(rename(at("named"), at("renamed")) == 0);
    CHECK(next(&child, &told) && told.event == EVENT_RENAME && told.name[0] == '\0');
    CHECK(next(&child, &told) && told.type == RECORD_DONE);
    CHECK(wait_for(&child) == 0);
}

/* The host reads nothing until the kernel's queue has overflowed. */
static void a_slow_host(void) {
    CHECK(mkdir(at("slow"), 0700) == 0);
    struct child child = watch(at("slow"), WATCH_TREE);
    char name[300];
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "slow/%0200d", i % 2);
        CHECK(mkdir(at(name), 0700) == 0 && rmdir(at(name)) == 0);
    }
    struct told told;
    do CHECK(next(&child, &told));
    while (told.type != RECORD_OVERFLOW);
    /* From here on it tells all again. */
    CHECK(mkdir(at("slow/after"), 0700) == 0);
    make_file(at("slow/after/file"), "x", 0600);
    do CHECK(next(&child, &told));
    while (strcmp(told.name, "after/file") != 0);
    end(&child);
}

static void refusals(void) {
    make_file(at("plain"), "x", 0600);
    CHECK(run(&(struct file_request){.operation = FILE_WATCH, .path = at("nothing")}) == ENOENT);
    CHECK(run(&(struct file_request){.operation = FILE_WATCH, .path = at("plain")}) == ENOTDIR);
    CHECK(mkdir(at("many"), 0700) == 0);
    char name[64];
    for (int i = 0; i < WATCHED_MAX; i++) {
        snprintf(name, sizeof name, "many/%d", i);
        CHECK(mkdir(at(name), 0700) == 0);
    }
    CHECK(run(&(struct file_request){.operation = FILE_WATCH, .flags = WATCH_TREE, .path = at("many")}) == E2BIG);
    /* One fewer, with the top, is as many as there may be; with one more again it has its end. */
    CHECK(rmdir(at("many/0")) == 0);
    struct child child = watch(at("many"), WATCH_TREE);
    CHECK(mkdir(at("many/one more"), 0700) == 0);
    struct told told;
    do CHECK(next(&child, &told));
    while (told.type == RECORD_EVENT);
    CHECK(told.type == RECORD_FAILED && told.error == E2BIG);
    CHECK(wait_for(&child) == 1);
}

static int gone[8], gone_count;

static void note(int number) { gone[gone_count++] = number; }

static void places(void) {
    struct path_stack path;
    watched_clear();
    int top = watched_add(1, WATCHED_NONE, ""), a = watched_add(2, top, "a"), b = watched_add(4098, a, "b");
    CHECK(top == 0 && watched_find(2) == a && watched_find(4098) == b && watched_find(3) == WATCHED_NONE);
    CHECK(watched_child(a, "b") == b && watched_child(top, "b") == WATCHED_NONE);
    CHECK(watched_path(b, "file", &path) && strcmp(path.path, "a/b/file") == 0 && path.depth == 3);
    watched_remove(a, note);
    CHECK(gone_count == 2 && gone[0] == 2 && gone[1] == 4098 && watched_find(4098) == WATCHED_NONE && watched_find(1) == top);
    CHECK(watched_add(5, top, "c") >= 0 && watched_find(5) >= 0);
    watched_clear();
    CHECK(watched_find(1) == WATCHED_NONE);
}

int main(void) {
    begin_work();
    places();
    one_directory();
    whole_tree();
    its_own_end();
    a_slow_host();
    refusals();
    end_work();
    fprintf(stderr, "file watch: ok\n");
    return 0;
}
