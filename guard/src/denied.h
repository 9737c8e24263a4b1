/* What was refused to QEMU: DIR/denied, and when it is enough. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum denial {
    NOTHING_DENIED,
    LET_THROUGH,  /* written down only */
    CALL_REFUSED,
    OPEN_REFUSED, /* of a file that is not granted */
};

struct denied {
    int directory;
    int file; /* 0: not made yet */
    int64_t let_through;
    int64_t calls; /* that were refused */
    int64_t opens; /* of these */
};

/* Counts a call and writes down the first of them: its number, its first argument, and the name that it has, or an empty one. One
 * that was let through has a "+" before it. */
void denied_note(struct denied *denied, enum denial denial, int call, uint64_t argument, const char *name);

/* Whether more was refused than any QEMU that works would ask for. `recording` says that it is not known which calls it makes;
 * `one_is` that one refusal is enough. */
bool denied_enough(const struct denied *denied, bool recording, bool one_is);
