#include "wire/record.h"

#include <errno.h>
#include <string.h>

#include "wire/bytes.h"

/* Linux's device numbers (MAJORBITS and MINORBITS of the kernel's dev_t as user space sees it). */
enum { MAJOR_MAX = 0xfff, MINOR_MAX = 0xfffff, MODE_MAX = 07777, NANOSECONDS_MAX = 999999999 };

static enum decoded bad(struct record *record, int error, const char *sentence) {
    record->error = error;
    record->sentence = sentence;
    return RECORD_BAD;
}

/* 0, EINVAL or ENAMETOOLONG. */
static int name_error(struct text name) {
    if (name.length > ENTRY_NAME_MAX) return ENAMETOOLONG;
    const char *part = name.bytes, *end = name.bytes + name.length;
    for (int depth = 1; name.length > 0; depth++) {
        const char *slash = memchr(part, '/', (size_t)(end - part));
        size_t length = (size_t)((slash == NULL ? end : slash) - part);
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.')) {
            return EINVAL;
        }
        if (length > ENTRY_PART_MAX || depth > ENTRY_DEPTH_MAX) return ENAMETOOLONG;
        if (slash == NULL) break;
        part = slash + 1;
    }
    return 0;
}

static enum decoded decode_entry(struct cursor *cursor, struct record *record) {
    struct entry *entry = &record->entry;
    entry->kind = cursor_u32(cursor);
    entry->mode = cursor_u32(cursor);
    entry->uid = cursor_u32(cursor);
    entry->gid = cursor_u32(cursor);
    entry->size = cursor_u64(cursor);
    entry->seconds = (int64_t)cursor_u64(cursor);
    entry->nanoseconds = cursor_u32(cursor);
    entry->major = cursor_u32(cursor);
    entry->minor = cursor_u32(cursor);
    entry->name = cursor_text(cursor);
    entry->target = cursor_text(cursor);
    if (!cursor_done(cursor)) return bad(record, EINVAL, "An ENTRY is not well formed.");
    /* The kernel takes the highest id as "no change" and the special nanoseconds as "now" and "no change". */
    if (entry->kind < ENTRY_FILE || entry->kind > ENTRY_SOCKET || entry->mode > MODE_MAX || entry->uid == UINT32_MAX ||
        entry->gid == UINT32_MAX || entry->size > INT64_MAX || entry->nanoseconds > NANOSECONDS_MAX ||
        entry->major > MAJOR_MAX || entry->minor > MINOR_MAX) {
        return bad(record, EINVAL, "An ENTRY has a value that is out of its range.");
    }
    if (entry->target.length > ENTRY_NAME_MAX) return bad(record, ENAMETOOLONG, "The target of a link is too long.");
    if ((entry->kind == ENTRY_LINK) != (entry->target.length > 0)) {
        return bad(record, EINVAL, "A link without a target, or a target without a link.");
    }
    int error = name_error(entry->name);
    if (error == ENAMETOOLONG) return bad(record, error, "A name is too long, or too deep.");
    if (error != 0) return bad(record, error, "A name is not relative, or has a part that is empty, . or ..");
    return RECORD_WHOLE;
}

static enum decoded decode_data(struct cursor *cursor, struct record *record) {
    record->offset = cursor_u64(cursor);
    if (cursor->bad || cursor->left == 0) return bad(record, EINVAL, "A DATA has no bytes.");
    record->bytes = (struct text){.bytes = (char *)cursor->next, .length = (uint32_t)cursor->left};
    if (record->offset > (uint64_t)INT64_MAX - cursor->left) {
        return bad(record, EINVAL, "A DATA ends beyond the end of any file.");
    }
    return RECORD_WHOLE;
}

/* Only what a user of the guest could set as well. */
static enum decoded decode_attribute(struct cursor *cursor, struct record *record) {
    static const char user[] = "user.";
    record->name = cursor_text(cursor);
    if (record->type == RECORD_ATTRIBUTE) record->bytes = cursor_blob(cursor);
    if (!cursor_done(cursor)) return bad(record, EINVAL, "An ATTRIBUTE is not well formed.");
    if (record->name.length < sizeof user || record->name.length > ATTRIBUTE_NAME_MAX ||
        memcmp(record->name.bytes, user, sizeof user - 1) != 0) {
        return bad(record, EINVAL, "The name of an ATTRIBUTE is too long, or none of those of users.");
    }
    return RECORD_WHOLE;
}

static enum decoded decode_failed(struct cursor *cursor, struct record *record) {
    uint32_t error = cursor_u32(cursor);
    cursor_text(cursor);
    struct text sentence = cursor_text(cursor);
    if (!cursor_done(cursor) || error > INT32_MAX || sentence.length > FAILED_SENTENCE_MAX) {
        return bad(record, EINVAL, "A FAILED is not well formed.");
    }
    record->error = (int)error;
    return RECORD_WHOLE;
}

enum decoded record_decode(uint8_t *bytes, size_t available, struct record *record, size_t *taken) {
    *record = (struct record){0};
    *taken = 0;
    if (available < RECORD_HEADER) return RECORD_INCOMPLETE;
    record->type = get32(bytes);
    uint32_t length = get32(bytes + 4);
    bool known = record->type >= RECORD_ENTRY && record->type <= RECORD_FAILED;
    if (!known && record->type != RECORD_ATTRIBUTE && record->type != RECORD_NO_ATTRIBUTE) {
        return bad(record, EINVAL, "A record has a type that does not exist.");
    }
    if (length > RECORD_BODY_MAX) return bad(record, EINVAL, "A record is longer than 65,536 bytes.");
    if (available - RECORD_HEADER < length) return RECORD_INCOMPLETE;
    *taken = RECORD_HEADER + length;
    struct cursor cursor = {.next = bytes + RECORD_HEADER, .left = length};
    switch (record->type) {
        case RECORD_ENTRY: return decode_entry(&cursor, record);
        case RECORD_DATA: return decode_data(&cursor, record);
        case RECORD_FAILED: return decode_failed(&cursor, record);
        case RECORD_ATTRIBUTE:
        case RECORD_NO_ATTRIBUTE: return decode_attribute(&cursor, record);
        default: return length == 0 ? RECORD_WHOLE : bad(record, EINVAL, "A DONE has content.");
    }
}

static size_t put_text(uint8_t *out, struct text text, uint32_t most) {
    uint32_t length = text.length < most ? text.length : most;
    put32(out, length);
    if (length > 0) memcpy(out + 4, text.bytes, length);
    return 4 + (size_t)length;
}

static size_t finish(uint8_t *out, uint32_t type, size_t length) {
    put32(out, type);
    put32(out + 4, (uint32_t)(length - RECORD_HEADER));
    return length;
}

size_t entry_encode(uint8_t *out, const struct entry *entry) {
    uint8_t *p = out + RECORD_HEADER;
    put32(p, entry->kind);
    put32(p + 4, entry->mode);
    put32(p + 8, entry->uid);
    put32(p + 12, entry->gid);
    put64(p + 16, entry->size);
    put64(p + 24, (uint64_t)entry->seconds);
    put32(p + 32, entry->nanoseconds);
    put32(p + 36, entry->major);
    put32(p + 40, entry->minor);
    p += 44;
    p += put_text(p, entry->name, ENTRY_NAME_MAX);
    p += put_text(p, entry->target, ENTRY_NAME_MAX);
    return finish(out, RECORD_ENTRY, (size_t)(p - out));
}

size_t data_encode(uint8_t *out, uint64_t offset, size_t length) {
    put64(out + RECORD_HEADER, offset);
    finish(out, RECORD_DATA, DATA_HEADER + length);
    return DATA_HEADER;
}

size_t done_encode(uint8_t *out) { return finish(out, RECORD_DONE, RECORD_HEADER); }

size_t ready_encode(uint8_t *out) { return finish(out, RECORD_READY, RECORD_HEADER); }

size_t event_encode(uint8_t *out, enum event event, bool entry_follows, struct text name) {
    uint8_t *p = out + RECORD_HEADER;
    put32(p, event);
    put32(p + 4, entry_follows);
    p += 8;
    p += put_text(p, name, ENTRY_NAME_MAX);
    return finish(out, RECORD_EVENT, (size_t)(p - out));
}

size_t overflow_encode(uint8_t *out) { return finish(out, RECORD_OVERFLOW, RECORD_HEADER); }

size_t attribute_encode(uint8_t *out, struct text name, struct text value) {
    uint8_t *p = out + RECORD_HEADER;
    p += put_text(p, name, ATTRIBUTE_NAME_MAX);
    p += put_text(p, value, ATTRIBUTE_VALUE_MAX);
    return finish(out, RECORD_ATTRIBUTE, (size_t)(p - out));
}

size_t removed_encode(uint8_t *out, struct text name) {
    uint8_t *p = out + RECORD_HEADER;
    p += put_text(p, name, ENTRY_NAME_MAX);
    return finish(out, RECORD_REMOVED, (size_t)(p - out));
}

size_t opaque_encode(uint8_t *out) { return finish(out, RECORD_OPAQUE, RECORD_HEADER); }

size_t details_encode(uint8_t *out, const struct details *details) {
    uint8_t *p = out + RECORD_HEADER;
    p += put_text(p, details->owner, ACCOUNT_TEXT_MAX);
    p += put_text(p, details->group, ACCOUNT_TEXT_MAX);
    p += put_text(p, details->real_path, ENTRY_NAME_MAX);
    return finish(out, RECORD_DETAILS, (size_t)(p - out));
}

size_t failed_encode(uint8_t *out, int error, struct text path, struct text sentence) {
    uint8_t *p = out + RECORD_HEADER;
    put32(p, (uint32_t)error);
    p += 4;
    p += put_text(p, path, FAILED_PATH_MAX);
    p += put_text(p, sentence, FAILED_SENTENCE_MAX);
    return finish(out, RECORD_FAILED, (size_t)(p - out));
}
