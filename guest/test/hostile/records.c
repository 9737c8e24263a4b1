/* Lies in the records of file operations. */
#include "conversation.h"

#include <stdio.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/file_request.h"
#include "wire/record.h"

static void record(struct conversation *c, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        size_t n = length < sizeof FILL ? length : sizeof FILL;
        output(c, bytes, n);
        bytes += n;
        length -= n;
    }
}

static void entry(struct conversation *c, uint32_t kind, const char *name, size_t length, uint64_t size, const char *target) {
    uint8_t bytes[ENTRY_RECORD_MAX];
    struct entry value = {.kind = kind, .mode = 0755, .size = size,
                          .name = {(char *)(uintptr_t)name, (uint32_t)length},
                          .target = {(char *)(uintptr_t)target, (uint32_t)strlen(target)}};
    record(c, bytes, entry_encode(bytes, &value));
}

static void done(struct conversation *c) {
    uint8_t bytes[RECORD_HEADER];
    record(c, bytes, done_encode(bytes));
    exited(c);
}

static void data(struct conversation *c, uint64_t offset, const char *content) {
    uint8_t bytes[256];
    size_t header = data_encode(bytes, offset, strlen(content));
    memcpy(bytes + header, content, strlen(content));
    record(c, bytes, header + strlen(content));
}

/* A LIST begins with the names themselves, a copy with what they are in. */
static void begin_tree(struct conversation *c) {
    started(c);
    if (c->file_operation != FILE_LIST) entry(c, ENTRY_DIRECTORY, "", 0, 0, "");
}

static void evil_file(struct conversation *c, const char *name, size_t length) {
    begin_tree(c);
    entry(c, ENTRY_FILE, name, length, 4, "");
    if (c->file_operation != FILE_LIST) data(c, 0, "evil");
    done(c);
}

static void dots(struct conversation *c) { evil_file(c, "../escaped", 10); }
static void dots_inside(struct conversation *c) { evil_file(c, "a/../../escaped", 15); }
static void absolute(struct conversation *c) { evil_file(c, "/tmp/escaped", 12); }
static void nul(struct conversation *c) { evil_file(c, "a\0b", 3); }
static void second_root(struct conversation *c) { evil_file(c, "", 0); }
static void orphan(struct conversation *c) { evil_file(c, "none/escaped", 12); }

static void below_a_link(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_LINK, "link", 4, 0, "../../../../../../tmp");
    entry(c, ENTRY_FILE, "link/escaped", 12, 4, "");
    data(c, 0, "evil");
    done(c);
}

static void below_a_file(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "file", 4, 0, "");
    entry(c, ENTRY_FILE, "file/escaped", 12, 0, "");
    done(c);
}

static void same_name_twice(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_LINK, "x", 1, 0, "/tmp");
    entry(c, ENTRY_DIRECTORY, "x", 1, 0, "");
    entry(c, ENTRY_FILE, "x/escaped", 9, 0, "");
    done(c);
}

static void huge_size(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "huge", 4, 1ULL << 63, "");
    done(c);
}

static void beyond_its_size(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "small", 5, 1, "");
    data(c, 0, "much more than one byte");
    done(c);
}

static void offset_beyond_all(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "far", 3, INT64_MAX, "");
    data(c, UINT64_MAX - 1, "evil");
    done(c);
}

static void going_back(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "back", 4, 100, "");
    data(c, 50, "abc");
    data(c, 0, "abc");
    done(c);
}

static void more_entries(struct conversation *c) {
    static unsigned number;
    char name[32];
    if (c->credit < 2 * ENTRY_RECORD_MAX) return;
    int length = snprintf(name, sizeof name, "entry %u", number++);
    uint64_t before = c->offset;
    entry(c, ENTRY_FILE, name, (size_t)length, 0, "");
    c->credit -= c->offset - before;
}

static void endless_entries(struct conversation *c) {
    begin_tree(c);
    c->flood = more_entries;
}

static void deeper(struct conversation *c) {
    static char name[ENTRY_NAME_MAX + 1];
    begin_tree(c);
    for (size_t length = 1; length < ENTRY_NAME_MAX; length += 2) {
        name[length - 1] = 'd';
        entry(c, ENTRY_DIRECTORY, name, length, 0, "");
        name[length] = '/';
    }
    done(c);
}

static void record_too_long(struct conversation *c) {
    uint8_t header[RECORD_HEADER];
    put32(header, RECORD_ENTRY);
    put32(header + 4, UINT32_MAX);
    started(c);
    record(c, header, sizeof header);
    c->flood = allowed_output;
}

static void no_end(struct conversation *c) {
    begin_tree(c);
    exited(c);
}

static void after_the_end(struct conversation *c) {
    uint8_t bytes[RECORD_HEADER];
    begin_tree(c);
    record(c, bytes, done_encode(bytes));
    entry(c, ENTRY_FILE, "late", 4, 0, "");
    exited(c);
}

static void no_first_entry(struct conversation *c) {
    started(c);
    data(c, 0, "evil");
    done(c);
}

static void failed_for_no_reason(struct conversation *c) {
    uint8_t bytes[FAILED_RECORD_MAX];
    char sentence[] = "\x1b]0;evil\x07 \xff\xfe";
    started(c);
    record(c, bytes, failed_encode(bytes, INT32_MAX, (struct text){sentence, sizeof sentence - 1}, (struct text){sentence, sizeof sentence - 1}));
    exited(c);
}

const struct lie RECORD_LIES[] = {
    {"dots", dots},
    {"dots-inside", dots_inside},
    {"absolute", absolute},
    {"nul", nul},
    {"second-root", second_root},
    {"orphan", orphan},
    {"below-a-link", below_a_link},
    {"below-a-file", below_a_file},
    {"same-name-twice", same_name_twice},
    {"huge-size", huge_size},
    {"beyond-its-size", beyond_its_size},
    {"offset-beyond-all", offset_beyond_all},
    {"going-back", going_back},
    {"endless-entries", endless_entries},
    {"deeper", deeper},
    {"record-too-long", record_too_long},
    {"no-end", no_end},
    {"after-the-end", after_the_end},
    {"no-first-entry", no_first_entry},
    {"failed-for-no-reason", failed_for_no_reason},
    {NULL, NULL},
};
