/* The payload of FILE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_operation {
    FILE_STAT = 1,
    FILE_LIST,
    FILE_READ,
    FILE_WRITE,
    FILE_MKDIR,
    FILE_REMOVE,
    FILE_RENAME,
    FILE_COPY_OUT,
    FILE_COPY_IN,
    FILE_WATCH,
    FILE_DIFF,
    FILE_ATTRIBUTES,
};

enum file_flag {
    STAT_FOLLOW = 1,
    LIST_TREE = 1,
    FILE_DETAILS = 2, /* of STAT and LIST */
    WRITE_EXCLUSIVE = 1,
    WRITE_APPEND = 2,
    WRITE_TRUNCATE = 4,
    WRITE_OWNER = 8,
    MKDIR_PARENTS = 1,
    MKDIR_OWNER = 2,
    REMOVE_TREE = 1,
    RENAME_KEEP = 1,
    COPY_OUT_FOLLOW = 1,
    COPY_IN_OWNERS = 1,
    WATCH_TREE = 1,
    WATCH_ENTRIES = 2,
    ATTRIBUTES_FOLLOW = 1,
    ATTRIBUTES_MODE = 2,
    ATTRIBUTES_OWNER = 4,
};

enum { PATH_LENGTH_MAX = 4095, MODE_MAX = 07777, LIST_DEPTH_MAX = 64, OWNER_LENGTH_MAX = 512 };

struct file_request {
    uint32_t operation;
    uint32_t flags;
    uint32_t credit;
    uint32_t mode;
    uint64_t offset;
    uint64_t length; /* of a LIST, its depth */
    const char *path;
    const char *target;
    const char *user;
    const char *owner; /* of what it makes or sets, as the user is named; NULL: none, it is the user's */
    uint32_t uid, gid; /* of that owner, once it is found out */
};

/* Understands the payload in place: the texts are terminated inside it, so one byte after it must be writable, and
 * the request is valid as long as it. Answers 0, or a failure code with its sentence. */
int file_request_parse(uint8_t *payload, size_t length, struct file_request *request, const char **sentence);

/* Whether the operation reads records from its stdin. */
bool file_request_has_input(const struct file_request *request);
