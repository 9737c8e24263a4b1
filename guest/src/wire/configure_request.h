/* The payload of CONFIGURE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cursor.h"
#include "wire/network_rules.h"

enum {
    ENTROPY_MIN = 16,
    ENTROPY_MAX = 512,
    CONFIGURED_VARIABLES_MAX = 1024,
    SECRETS_MAX = 256,
    SECRET_MAX = 65536,
    SECRET_NAME_MAX = 64,
};

struct secret {
    char name[SECRET_NAME_MAX + 1];
    struct text value;
};

struct configure_request {
    struct text host, machine; /* no bytes: not in the frame */
    bool has_clock, has_network, end_all, remove_secrets;
    uint64_t clock; /* nanoseconds since 1970 */
    struct text entropy;
    uint32_t variable_count, secret_count;
    struct text variables[CONFIGURED_VARIABLES_MAX];
    struct secret secrets[SECRETS_MAX];
    struct network network;
};

/* Understands the payload, which has to stay. Answers 0, or a failure code with its sentence. */
int configure_request_parse(uint8_t *payload, size_t length, struct configure_request *request, const char **sentence);
