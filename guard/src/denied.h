/* What was refused to QEMU: DIR/denied. */
#pragma once

#include <stdint.h>

struct denied {
    int directory;
    int file; /* 0: not made yet */
    int64_t count;
};

/* Counts a call and writes down the first of them: its number, its first argument, and the name that it has, or an empty one. */
void denied_note(struct denied *denied, int call, uint64_t argument, const char *name);
