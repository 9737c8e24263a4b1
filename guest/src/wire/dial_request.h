/* The payload of DIAL. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DIAL_AS_LOOPBACK = 1, DIAL_PATH_MAX = 107, PATIENCE_MAX = 60000 };

struct dial_request {
    uint32_t flags;
    uint32_t credit;
    uint16_t port;     /* 0: a path is named */
    uint32_t patience; /* milliseconds */
    const char *path;  /* NULL: a port is named */
    const char *user;  /* of a path */
};

/* Understands the payload in place: the texts are terminated inside it, so one byte after it must be writable, and
 * the request is valid as long as it. Answers 0, or a failure code with its sentence. */
int dial_request_parse(uint8_t *payload, size_t length, struct dial_request *request, const char **sentence);
