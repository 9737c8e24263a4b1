#include "wire/cursor.h"

#include <string.h>

#include "wire/bytes.h"

static const uint8_t *take(struct cursor *cursor, size_t length) {
    if (cursor->bad || cursor->left < length) {
        cursor->bad = true;
        return NULL;
    }
    uint8_t *start = cursor->next;
    cursor->next += length;
    cursor->left -= length;
    return start;
}

uint32_t cursor_u32(struct cursor *cursor) {
    const uint8_t *p = take(cursor, 4);
    return p == NULL ? 0 : get32(p);
}

uint64_t cursor_u64(struct cursor *cursor) {
    const uint8_t *p = take(cursor, 8);
    return p == NULL ? 0 : get64(p);
}

struct text cursor_blob(struct cursor *cursor) {
    uint32_t length = cursor_u32(cursor);
    uint8_t *start = cursor->next;
    if (take(cursor, length) == NULL) return (struct text){0};
    return (struct text){.bytes = (char *)start, .length = length};
}

struct text cursor_text(struct cursor *cursor) {
    struct text text = cursor_blob(cursor);
    if (text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL) {
        cursor->bad = true;
        return (struct text){0};
    }
    return text;
}

bool cursor_done(const struct cursor *cursor) { return !cursor->bad && cursor->left == 0; }
