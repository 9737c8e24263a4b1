/* The payload of EXEC. */
#pragma once

#include <stdint.h>

#include "wire/cursor.h"
#include "wire/frame.h"

enum {
    EXEC_STDIN = 1,
    EXEC_MAIN = 2,
    EXEC_MAKE_DIRECTORY = 4,
    EXEC_TERMINAL = 8,
    EXEC_ACKNOWLEDGED = 16,
    EXEC_KEYED = 32,
    EXEC_INIT = 64,
    EXEC_STOP_SIGNAL = 128,
    EXEC_FLAGS = 255,
    ARGUMENTS_MAX = 65536,
    LIMITS_MAX = 16,
    KEY_MAX = 128,
};

struct limit {
    uint32_t resource;
    uint64_t soft;
    uint64_t hard;
};

struct exec_request {
    uint32_t flags;
    uint32_t credit;
    uint32_t window;
    char **arguments;   /* ends with NULL */
    char **environment; /* ends with NULL */
    const char *directory;
    const char *user;
    uint16_t rows;
    uint16_t columns;
    uint32_t limit_count;
    struct limit limits[LIMITS_MAX];
    const char *key; /* NULL: none */
    uint32_t stop_signal; /* asks it to end, in place of SIGTERM; 0: SIGTERM, and it is no init */
};

/* Understands the payload in place: the texts are terminated inside it, so one byte after it must be writable, and
 * the request is valid as long as it. Answers 0, or a failure code with its sentence. */
int exec_request_parse(uint8_t *payload, size_t length, struct exec_request *request, const char **sentence);

void exec_request_free(struct exec_request *request);
