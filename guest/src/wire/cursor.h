/* Reading the fields of a payload, none of which is trusted. After the first failure every read answers nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    uint8_t *next;
    size_t left;
    bool bad;
};

struct text {
    char *bytes; /* not terminated */
    uint32_t length;
};

uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);

/* Bytes that may be anything. */
struct text cursor_blob(struct cursor *cursor);

/* Bytes without NUL. */
struct text cursor_text(struct cursor *cursor);

/* Whether all was read without a failure and nothing is left. */
bool cursor_done(const struct cursor *cursor);
