/* The records of file operations (docs/guest-protocol.md, "Files"), written and read. What is read is not trusted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cursor.h"

enum record_type {
    RECORD_ENTRY = 1,
    RECORD_DATA,
    RECORD_DONE,
    RECORD_FAILED,
    /* Of a WATCH, and only from here to the host. */
    RECORD_READY,
    RECORD_EVENT,
    RECORD_OVERFLOW,
    /* Of a DIFF, and only from here to the host; the first also of an ATTRIBUTES, and from there. */
    RECORD_ATTRIBUTE,
    RECORD_REMOVED,
    RECORD_OPAQUE,
    /* Of a STAT or a LIST, and only from here to the host. */
    RECORD_DETAILS,
    /* Of an ATTRIBUTES, and only from the host. */
    RECORD_NO_ATTRIBUTE,
};

enum event { EVENT_CREATE = 1, EVENT_WRITE, EVENT_REMOVE, EVENT_RENAME, EVENT_CHMOD };

enum entry_kind {
    ENTRY_FILE = 1,
    ENTRY_DIRECTORY,
    ENTRY_LINK,
    ENTRY_FIFO,
    ENTRY_CHARACTER_DEVICE,
    ENTRY_BLOCK_DEVICE,
    ENTRY_SOCKET,
};

enum {
    RECORD_HEADER = 8,
    RECORD_BODY_MAX = 65536,
    RECORD_MAX = RECORD_HEADER + RECORD_BODY_MAX,
    DATA_HEADER = RECORD_HEADER + 8,
    ENTRY_NAME_MAX = 4095,  /* of a relative name, and of a link's target */
    ENTRY_PART_MAX = 255,   /* of what is between two slashes */
    ENTRY_DEPTH_MAX = 1024, /* parts of a name */
    ENTRY_RECORD_MAX = RECORD_HEADER + 56 + 2 * ENTRY_NAME_MAX,
    FAILED_PATH_MAX = 2 * 4096,
    FAILED_SENTENCE_MAX = 1024,
    EVENT_RECORD_MAX = RECORD_HEADER + 12 + ENTRY_NAME_MAX,
    ATTRIBUTE_NAME_MAX = 255, /* as the kernel has them */
    ATTRIBUTE_VALUE_MAX = RECORD_BODY_MAX - 8 - ATTRIBUTE_NAME_MAX,
    ACCOUNT_TEXT_MAX = 255, /* a name of a user or group */
    DETAILS_RECORD_MAX = RECORD_HEADER + 12 + 2 * ACCOUNT_TEXT_MAX + ENTRY_NAME_MAX,
    REMOVED_RECORD_MAX = RECORD_HEADER + 4 + ENTRY_NAME_MAX,
    FAILED_RECORD_MAX = RECORD_HEADER + 12 + FAILED_PATH_MAX + FAILED_SENTENCE_MAX,
};

struct entry {
    uint32_t kind;
    uint32_t mode;
    uint32_t uid;
    uint32_t gid;
    uint64_t size;
    int64_t seconds;
    uint32_t nanoseconds;
    uint32_t major;
    uint32_t minor;
    struct text name;
    struct text target;
};

/* Each may be empty: none is known. */
struct details {
    struct text owner;
    struct text group;
    struct text real_path;
};

struct record {
    uint32_t type;
    struct entry entry;   /* of ENTRY */
    struct text name;     /* of ATTRIBUTE and NO_ATTRIBUTE */
    uint64_t offset;      /* of DATA */
    struct text bytes;    /* of DATA and ATTRIBUTE */
    int error;            /* of FAILED; of a record that is no record, why */
    const char *sentence; /* of a record that is no record */
};

enum decoded { RECORD_WHOLE, RECORD_INCOMPLETE, RECORD_BAD };

/* Understands the record that begins at the bytes, in which its texts stay. What is whole is within all of the bounds
 * of the document: a name is empty, or relative without `.`, `..` and empty parts. */
enum decoded record_decode(uint8_t *bytes, size_t available, struct record *record, size_t *taken);

/* Each writes a whole record, but for the bytes of DATA, and answers its length. A text that is too long is cut. */
size_t entry_encode(uint8_t *out, const struct entry *entry);
size_t data_encode(uint8_t *out, uint64_t offset, size_t length);
size_t done_encode(uint8_t *out);
size_t ready_encode(uint8_t *out);
size_t event_encode(uint8_t *out, enum event event, bool entry_follows, struct text name);
size_t overflow_encode(uint8_t *out);
size_t attribute_encode(uint8_t *out, struct text name, struct text value);
size_t removed_encode(uint8_t *out, struct text name);
size_t opaque_encode(uint8_t *out);
size_t details_encode(uint8_t *out, const struct details *details);
size_t failed_encode(uint8_t *out, int error, struct text path, struct text sentence);
