/* The payload of EXEC. */
#pragma once

#include <stdint.h>

#include "cursor.h"
#include "frame.h"

enum { EXEC_STDIN = 1, EXEC_MAIN = 2, EXEC_MAKE_DIRECTORY = 4, ARGUMENTS_MAX = 65536 };

struct exec_request {
    uint32_t flags;
    uint32_t window;
    char **arguments;   /* ends with NULL */
    char **environment; /* ends with NULL; one more entry fits */
    const char *directory;
    const char *user;
};

/* Understands the payload in place: the texts are terminated inside it, so one byte after it must be writable, and
 * the request is valid as long as it. Answers 0, or a failure code with its sentence. */
int exec_request_parse(uint8_t *payload, size_t length, struct exec_request *request, const char **sentence);

void exec_request_free(struct exec_request *request);
