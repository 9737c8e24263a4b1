/* How a child of the agent tells why it failed: one message through a pipe, before it ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

/* The descriptor where a child of the agent reports. */
enum { SPAWN_REPORT = 3 };

struct spawn_failure {
    uint32_t code; /* as in FAILED; 0: none */
    int error;     /* what spawn_told ends the sentence with: an errno, or 0 */
    char sentence[256];
};

/* Reads the report: true once the child has told, then a code of 0 means that exec worked. */
bool spawn_told(int report, struct spawn_failure *failure);

/* Ends the sentence of a report that was read, with what its errno means. */
void spawn_failure_complete(struct spawn_failure *failure);

/* In a child with memory of its own: reports and ends. */
__attribute__((noreturn, format(printf, 2, 3))) void spawn_give_up(enum failure code, const char *format, ...);

/* In a child that may share the agent's memory (child.h): reports and ends. The sentence is put together of the three, of
 * the name 100 bytes at most, and of what `error` (errno, or 0) means. */
__attribute__((noreturn)) void child_give_up(enum failure code, int error, const char *before, const char *name,
                                             const char *after);

/* In such a child: ends without a report. */
__attribute__((noreturn)) void child_end(void);
