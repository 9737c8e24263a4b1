#include "wire/record.h"

#include <errno.h>
#include <string.h>

#include "files/path_stack.h"
#include "wire/bytes.h"
#include "check.h"

static struct text text(const char *value) {
    return (struct text){.bytes = (char *)(uintptr_t)value, .length = (uint32_t)strlen(value)};
}

static struct entry sample(void) {
    return (struct entry){.kind = ENTRY_LINK, .mode = 0777, .uid = 7, .gid = 8, .size = INT64_MAX, .seconds = -5,
                          .nanoseconds = 999999999, .major = 4095, .minor = 1048575,
                          .name = text("a/..b/\xff\n"), .target = text("../../etc")};
}

/* Decodes a copy that ends where the allocation ends. */
static enum decoded decode(const uint8_t *bytes, size_t length, struct record *record, size_t *taken, uint8_t **copy) {
    *copy = malloc(length == 0 ? 1 : length);
    memcpy(*copy, bytes, length);
    return record_decode(*copy, length, record, taken);
}

static bool equal(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static void an_entry_comes_back(void) {
    uint8_t out[ENTRY_RECORD_MAX], *copy;
    struct entry wanted = sample();
    struct record record;
    size_t taken, length = entry_encode(out, &wanted);
    CHECK(decode(out, length, &record, &taken, &copy) == RECORD_WHOLE && taken == length);
    struct entry *e = &record.entry;
    CHECK(record.type == RECORD_ENTRY && e->kind == wanted.kind && e->mode == wanted.mode && e->uid == 7 && e->gid == 8);
    CHECK(e->size == wanted.size && e->seconds == -5 && e->nanoseconds == 999999999 && e->major == 4095);
    CHECK(e->minor == 1048575 && equal(e->name, wanted.name) && equal(e->target, wanted.target));
    free(copy);
    for (size_t cut = 0; cut < length; cut++) {
        CHECK(decode(out, cut, &record, &taken, &copy) == RECORD_INCOMPLETE && taken == 0);
        free(copy);
    }
}

static void the_other_records_come_back(void) {
    uint8_t out[FAILED_RECORD_MAX], *copy;
    struct record record;
    size_t taken, header = data_encode(out, 1ULL << 62, 3);
    memcpy(out + header, "abc", 3);
    CHECK(decode(out, header + 3, &record, &taken, &copy) == RECORD_WHOLE && taken == header + 3);
    CHECK(record.type == RECORD_DATA && record.offset == 1ULL << 62 && equal(record.bytes, text("abc")));
    free(copy);
    size_t length = done_encode(out);
    CHECK(decode(out, length, &record, &taken, &copy) == RECORD_WHOLE && record.type == RECORD_DONE);
    free(copy);
    length = failed_encode(out, ENOSPC, text("/a"), text("The disk is full."));
    CHECK(length == 8 + 12 + 2 + 17);
    CHECK(decode(out, length, &record, &taken, &copy) == RECORD_WHOLE && record.type == RECORD_FAILED);
    CHECK(record.error == ENOSPC && taken == length);
    free(copy);
    static char endless[100000];
    memset(endless, 'x', sizeof endless - 1);
    CHECK(failed_encode(out, 1, text(endless), text(endless)) == FAILED_RECORD_MAX);
}

static int error_of(const struct entry *entry) {
    uint8_t out[ENTRY_RECORD_MAX], *copy;
    struct record record;
    size_t taken, length = entry_encode(out, entry);
    enum decoded decoded = decode(out, length, &record, &taken, &copy);
    free(copy);
    CHECK(decoded != RECORD_INCOMPLETE);
    CHECK(decoded == RECORD_WHOLE || strlen(record.sentence) > 10);
    return decoded == RECORD_WHOLE ? 0 : record.error;
}

static int name_error(const char *name) {
    struct entry entry = {.kind = ENTRY_FILE, .name = text(name)};
    return error_of(&entry);
}

static void names_lead_down_only(void) {
    static const char *const good[] = {"", "a", "a/b", "...", "a/.b", "..a", "a b\n\t", "\xc3\xa4"};
    static const char *const bad[] = {"/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a/../b", "./a", "a/."};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK(name_error(good[i]) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(name_error(bad[i]) == EINVAL);
    char name[4096];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    CHECK(name_error(name) == 0);
    name[255] = 'n';
    name[256] = '\0';
    CHECK(name_error(name) == ENAMETOOLONG);
    for (int i = 0; i < 2048; i++) memcpy(name + 2 * i, "n/", 2);
    name[2 * 1024 - 1] = '\0';
    CHECK(name_error(name) == 0);
    name[2 * 1024 - 1] = '/';
    name[2 * 1025 - 1] = '\0';
    CHECK(name_error(name) == ENAMETOOLONG);
    uint8_t out[ENTRY_RECORD_MAX], *copy;
    struct entry nul = {.kind = ENTRY_FILE, .name = {.bytes = (char *)"a\0b", .length = 3}};
    struct record record;
    size_t taken, length = entry_encode(out, &nul);
    CHECK(decode(out, length, &record, &taken, &copy) == RECORD_BAD);
    free(copy);
}

static void values_out_of_range_are_refused(void) {
    struct entry good = {.kind = ENTRY_FILE, .name = text("f")};
#define REFUSED(field, value)                \
    do {                                     \
        struct entry entry = good;           \
        entry.field = value;                 \
        CHECK(error_of(&entry) == EINVAL);   \
    } while (0)
    CHECK(error_of(&good) == 0);
    REFUSED(kind, 0);
    REFUSED(kind, 8);
    REFUSED(mode, 010000);
    REFUSED(uid, UINT32_MAX);
    REFUSED(gid, UINT32_MAX);
    REFUSED(size, 1ULL << 63);
    REFUSED(nanoseconds, 1000000000);
    REFUSED(nanoseconds, (1 << 30) - 1); /* UTIME_NOW */
    REFUSED(major, 4096);
    REFUSED(minor, 1048576);
    REFUSED(kind, ENTRY_LINK);
    REFUSED(target, text("t"));
    uint8_t out[64] = {0}, *copy;
    struct record record;
    size_t taken;
    put32(out, RECORD_DATA);
    put32(out + 4, RECORD_BODY_MAX + 1);
    CHECK(decode(out, 8, &record, &taken, &copy) == RECORD_BAD); /* before its bytes are waited for */
    free(copy);
    put32(out + 4, 8);
    CHECK(decode(out, 16, &record, &taken, &copy) == RECORD_BAD); /* no bytes */
    free(copy);
    data_encode(out, INT64_MAX, 1);
    CHECK(decode(out, 17, &record, &taken, &copy) == RECORD_BAD);
    free(copy);
    for (uint32_t type = 0; type < 20; type++) {
        if (type >= RECORD_ENTRY && type <= RECORD_FAILED) continue;
        if (type == RECORD_ATTRIBUTE || type == RECORD_NO_ATTRIBUTE) continue;
        put32(out, type);
        CHECK(decode(out, 8, &record, &taken, &copy) == RECORD_BAD);
        free(copy);
    }
}

static void damaged_records_harm_nobody(void) {
    uint64_t seed = 11;
    for (int round = 0; round < 20000; round++) {
        uint8_t out[ENTRY_RECORD_MAX], *copy;
        struct entry entry = sample();
        size_t taken, length = entry_encode(out, &entry);
        uint32_t changes = 1 + random_below(&seed, 5);
        for (uint32_t i = 0; i < changes; i++) out[random_below(&seed, (uint32_t)length)] = (uint8_t)next_random(&seed);
        struct record record;
        if (decode(out, length, &record, &taken, &copy) == RECORD_WHOLE) CHECK(taken > 0 && taken <= length);
        free(copy);
    }
}

static void a_path_stack_grows_and_shrinks(void) {
    static struct path_stack stack;
    CHECK(path_stack_push(&stack, "a") && path_stack_push(&stack, "bc") && strcmp(stack.path, "a/bc") == 0);
    CHECK(strcmp(path_stack_last(&stack), "bc") == 0);
    path_stack_pop(&stack);
    CHECK(strcmp(stack.path, "a") == 0 && strcmp(path_stack_last(&stack), "a") == 0);
    path_stack_pop(&stack);
    CHECK(stack.length == 0 && stack.depth == 0);
    for (int i = 0; i < ENTRY_DEPTH_MAX; i++) CHECK(path_stack_push(&stack, "x"));
    CHECK(!path_stack_push(&stack, "x"));
    while (stack.depth > 0) path_stack_pop(&stack);
    char part[256];
    memset(part, 'y', 255);
    part[255] = '\0';
    for (int i = 0; i < 15; i++) CHECK(path_stack_push(&stack, part));
    CHECK(path_stack_push(&stack, part) && stack.length == ENTRY_NAME_MAX); /* 16 * 255 + 15 slashes */
    CHECK(!path_stack_push(&stack, "z"));
}

int main(void) {
    an_entry_comes_back();
    the_other_records_come_back();
    names_lead_down_only();
    values_out_of_range_are_refused();
    damaged_records_harm_nobody();
    a_path_stack_grows_and_shrinks();
    fprintf(stderr, "record: ok\n");
    return 0;
}
