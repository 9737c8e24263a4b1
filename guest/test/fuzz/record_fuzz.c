/* Any bytes as a stream of records, cut anywhere; what is understood stays understood when it is written again. */
#include "wire/record.h"
#include "fuzz.h"

static bool equal(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static void comes_back(const struct entry *entry) {
    static uint8_t again[ENTRY_RECORD_MAX];
    struct record record;
    size_t taken, length = entry_encode(again, entry);
    CHECK(record_decode(again, length, &record, &taken) == RECORD_WHOLE && taken == length);
    CHECK(equal(record.entry.name, entry->name) && equal(record.entry.target, entry->target));
    CHECK(record.entry.size == entry->size && record.entry.mode == entry->mode && record.entry.kind == entry->kind);
}

static void leads_down(struct text name) {
    CHECK(name.length <= ENTRY_NAME_MAX);
    if (name.length == 0) return;
    CHECK(name.bytes[0] != '/' && memchr(name.bytes, '\0', name.length) == NULL);
    char text[ENTRY_NAME_MAX + 3] = "/";
    memcpy(text + 1, name.bytes, name.length);
    memcpy(text + 1 + name.length, "/", 2);
    CHECK(strstr(text, "/../") == NULL && strstr(text, "/./") == NULL && strstr(text, "//") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length + (length == 0));
    memcpy(copy, bytes, length);
    for (size_t at = 0; at <= length;) {
        struct record record;
        size_t taken;
        enum decoded decoded = record_decode(copy + at, length - at, &record, &taken);
        if (decoded == RECORD_BAD) CHECK(record.error > 0 && strlen(record.sentence) > 0);
        if (decoded != RECORD_WHOLE) break;
        CHECK(taken >= RECORD_HEADER && taken <= length - at);
        if (record.type == RECORD_ENTRY) {
            leads_down(record.entry.name);
            comes_back(&record.entry);
        }
        at += taken;
    }
    free(copy);
    return 0;
}
