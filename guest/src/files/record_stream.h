/* The two streams of a file operation: records that leave by descriptor 1 and come by descriptor 0. In its own
 * process, which ends when one of them does. */
#pragma once

#include <stdint.h>

#include "wire/record.h"

/* What a FAILED names: the path of the request. Kept as given. */
void stream_begin(const char *path);

void stream_entry(const struct entry *entry);

/* The records of a WATCH. The entry may be NULL. */
void stream_ready(void);
void stream_event(enum event event, const char *name, const struct entry *entry);
void stream_overflow(void);

/* The records of a DIFF; the first also of what has details. */
void stream_attribute(const char *name, struct text value);
void stream_removed(const char *name);
void stream_opaque(void);

/* What follows an entry that is told with its details. */
void stream_details(const char *owner, const char *group, const char *real_path);

/* Room for the bytes of one DATA, which is written with stream_data. */
enum { PIECE = 60 * 1024 };
uint8_t *stream_room(void);
void stream_data(uint64_t offset, size_t length);

void stream_flush(void);

/* The next record; its texts are valid until the next call. One that is not valid, the host's FAILED and a stream that
 * ends without DONE end the operation. */
void stream_next(struct record *record);

/* Ends the operation well. */
__attribute__((noreturn)) void stream_done(void);

/* Ends it with FAILED, which names the path of the request and, below it, `name` (may be empty); removes the file that is
 * not complete. The sentence is the text and what errno means. */
__attribute__((noreturn)) void stream_failed(int error, const char *name, const char *text);
