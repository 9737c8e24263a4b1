#include "wire/file_request.h"

#include <string.h>

#include "files/split.h"
#include "memory/credit.h"
#include "wire/bytes.h"
#include "wire/frame.h"
#include "check.h"

struct wanted {
    uint32_t operation, flags, credit, mode;
    uint64_t offset, length;
    const char *path, *target, *user;
};

static size_t put_text(uint8_t *out, const char *value) {
    put32(out, (uint32_t)strlen(value));
    memcpy(out + 4, value, strlen(value));
    return 4 + strlen(value);
}

static size_t payload_of(uint8_t *out, const struct wanted *w) {
    put32(out, w->operation);
    put32(out + 4, w->flags);
    put32(out + 8, w->credit);
    put32(out + 12, w->mode);
    put64(out + 16, w->offset);
    put64(out + 24, w->length);
    size_t length = 32;
    length += put_text(out + length, w->path == NULL ? "" : w->path);
    length += put_text(out + length, w->target == NULL ? "" : w->target);
    return length + put_text(out + length, w->user == NULL ? "" : w->user);
}

/* Parses a copy that ends where the allocation ends, but for the one byte that may be written. */
static int parse(const uint8_t *bytes, size_t length, struct file_request *request, uint8_t **copy) {
    const char *sentence = NULL;
    *copy = malloc(length + 1);
    memcpy(*copy, bytes, length);
    int code = file_request_parse(*copy, length, request, &sentence);
    CHECK(code == 0 || strlen(sentence) > 10);
    return code;
}

static int code_of(struct wanted wanted) {
    uint8_t bytes[16384], *copy;
    struct file_request request;
    int code = parse(bytes, payload_of(bytes, &wanted), &request, &copy);
    free(copy);
    return code;
}

static const struct wanted RENAME = {FILE_RENAME, RENAME_KEEP, 1000, 0, 0, 0, "/a/b", "/c", "bob:wheel"};

static void a_good_request_is_understood(void) {
    uint8_t bytes[16384], *copy;
    struct file_request r;
    CHECK(parse(bytes, payload_of(bytes, &RENAME), &r, &copy) == 0);
    CHECK(r.operation == FILE_RENAME && r.flags == RENAME_KEEP && r.credit == 1000 && !file_request_has_input(&r));
    CHECK(strcmp(r.path, "/a/b") == 0 && strcmp(r.target, "/c") == 0 && strcmp(r.user, "bob:wheel") == 0);
    free(copy);
    struct wanted write = {FILE_WRITE, 5, UINT32_MAX, 0644, 1ULL << 40, 0, "/w", NULL, NULL};
    CHECK(parse(bytes, payload_of(bytes, &write), &r, &copy) == 0);
    CHECK(r.credit == CREDIT_MAX && r.mode == 0644 && r.offset == 1ULL << 40 && *r.user == '\0' && *r.target == '\0');
    CHECK(file_request_has_input(&r));
    free(copy);
}

static void every_cut_is_refused(void) {
    uint8_t bytes[16384], *copy;
    struct file_request r;
    size_t length = payload_of(bytes, &RENAME);
    for (size_t cut = 0; cut < length; cut++) {
        CHECK(parse(bytes, cut, &r, &copy) == BAD_REQUEST);
        free(copy);
    }
    bytes[length] = 0;
    CHECK(parse(bytes, length + 1, &r, &copy) == BAD_REQUEST);
    free(copy);
}

static void what_an_operation_does_not_use_is_refused(void) {
    for (uint32_t operation = FILE_STAT; operation <= FILE_WATCH; operation++) {
        struct wanted good = {.operation = operation, .path = "/p", .target = operation == FILE_RENAME ? "/t" : ""};
        CHECK(code_of(good) == 0);
        struct wanted w = good;
        w.flags = 16;
        CHECK(code_of(w) == UNSUPPORTED);
        w = good;
        w.mode = 0600;
        CHECK(code_of(w) == (operation == FILE_WRITE || operation == FILE_MKDIR ? 0 : BAD_REQUEST));
        w.mode = 010000;
        CHECK(code_of(w) == BAD_REQUEST);
        w = good;
        w.offset = 1;
        CHECK(code_of(w) == (operation == FILE_WRITE || operation == FILE_READ ? 0 : BAD_REQUEST));
        w.offset = 1ULL << 63;
        CHECK(code_of(w) == BAD_REQUEST);
        w = good;
        w.length = UINT64_MAX;
        CHECK(code_of(w) == (operation == FILE_READ ? 0 : BAD_REQUEST));
        w = good;
        w.target = operation == FILE_RENAME ? "" : "/t";
        CHECK(code_of(w) == BAD_REQUEST);
        w = good;
        w.path = "relative";
        CHECK(code_of(w) == BAD_REQUEST);
        w.path = "";
        CHECK(code_of(w) == BAD_REQUEST);
        char path[4097] = "/";
        memset(path + 1, 'p', 4094);
        w.path = path;
        CHECK(code_of(w) == 0);
        path[4095] = 'p';
        CHECK(code_of(w) == BAD_REQUEST);
    }
    for (uint64_t depth = 0; depth < 70; depth++) {
        struct wanted list = {.operation = FILE_LIST, .flags = LIST_TREE | FILE_DETAILS, .length = depth, .path = "/p"};
        CHECK(code_of(list) == (depth >= 1 && depth <= LIST_DEPTH_MAX ? 0 : BAD_REQUEST));
    }
    CHECK(code_of((struct wanted){.operation = 0, .path = "/p"}) == UNSUPPORTED);
    CHECK(code_of((struct wanted){.operation = FILE_ATTRIBUTES + 1, .path = "/p"}) == UNSUPPORTED);
    CHECK(code_of((struct wanted){.operation = FILE_DIFF, .path = "/"}) == 0);
    CHECK(code_of((struct wanted){.operation = FILE_DIFF, .path = "/p"}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.operation = FILE_DIFF, .path = "/", .user = "1"}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){FILE_WRITE, WRITE_APPEND, 0, 0, 5, 0, "/p", NULL, NULL}) == BAD_REQUEST);
}

static void an_owner_comes_with_its_flag_alone(void) {
    static const struct {
        uint32_t operation, flag;
    } owned[] = {{FILE_MKDIR, MKDIR_OWNER}, {FILE_WRITE, WRITE_OWNER}, {FILE_ATTRIBUTES, ATTRIBUTES_OWNER}};
    char name[OWNER_LENGTH_MAX + 2];
    memset(name, 'n', sizeof name);
    name[OWNER_LENGTH_MAX + 1] = '\0';
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        struct wanted w = {.operation = owned[i].operation, .flags = owned[i].flag, .path = "/p", .target = "bob:wheel", .user = "1"};
        CHECK(code_of(w) == 0);
        uint8_t bytes[16384], *copy;
        struct file_request r;
        CHECK(parse(bytes, payload_of(bytes, &w), &r, &copy) == 0);
        CHECK(strcmp(r.owner, "bob:wheel") == 0 && *r.target == '\0' && strcmp(r.user, "1") == 0);
        free(copy);
        w.target = name;
        CHECK(code_of(w) == BAD_REQUEST);
        w.target = name + 1;
        CHECK(code_of(w) == 0);
        w.target = "";
        CHECK(code_of(w) == BAD_REQUEST);
        w.flags = 0;
        CHECK(code_of(w) == 0);
        w.target = "/p";
        CHECK(code_of(w) == BAD_REQUEST);
    }
    CHECK(code_of((struct wanted){.operation = FILE_ATTRIBUTES, .flags = ATTRIBUTES_MODE, .mode = 0600, .path = "/p"}) == 0);
    CHECK(code_of((struct wanted){.operation = FILE_ATTRIBUTES, .mode = 0600, .path = "/p"}) == BAD_REQUEST);
}

static void damaged_requests_harm_nobody(void) {
    uint64_t seed = 5;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[16384], *copy;
        struct file_request r;
        size_t length = payload_of(bytes, &RENAME);
        uint32_t changes = 1 + random_below(&seed, 4);
        for (uint32_t i = 0; i < changes; i++) bytes[random_below(&seed, (uint32_t)length)] = (uint8_t)next_random(&seed);
        if (parse(bytes, length, &r, &copy) == 0) {
            CHECK(r.path[0] == '/' && strlen(r.path) + strlen(r.target) + strlen(r.user) < length);
        }
        free(copy);
    }
}

static void is_split(const char *path, const char *parent, const char *leaf) {
    struct split split;
    split_path(path, &split);
    CHECK(strcmp(split.parent, parent) == 0 && strcmp(split.leaf, leaf) == 0);
}

static void paths_are_split(void) {
    is_split("/", "/", "");
    is_split("///", "/", "");
    is_split("/a", "/", "a");
    is_split("/a///", "/", "a");
    is_split("/a/b", "/a/", "b");
    is_split("//a//b/", "//a//", "b");
    is_split("/a/..", "/a/", "..");
    struct split split;
    split_path("/a/..", &split);
    CHECK(split_leaf_is_dots(&split));
    split_path("/a/...", &split);
    CHECK(!split_leaf_is_dots(&split));
}

int main(void) {
    a_good_request_is_understood();
    every_cut_is_refused();
    what_an_operation_does_not_use_is_refused();
    an_owner_comes_with_its_flag_alone();
    damaged_requests_harm_nobody();
    paths_are_split();
    fprintf(stderr, "file_request: ok\n");
    return 0;
}
