/* Decides when the agent backs off from a busy pipe between a program and itself. It looks at a quiet pipe at each event. A
 * busy one would wake it at every write or read of the program, and these wake-ups on the one processor cost several times
 * what the bytes do; so the agent gives the pipe more room, leaves it alone for a moment, and then moves all at once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    BACKOFF_MS = 1,
    BACKOFF_PIPE = 1024 * 1024, /* holds what a program writes or reads in that time */
    BACKOFF_BUSY = 4096,        /* bytes in a millisecond; programs write as much at a time, if they save on that */
    BACKOFF_TURN = 1024,        /* what a wake-up counts for, without its bytes */
};

/* All zeros: nothing was moved. */
struct backoff {
    int64_t since; /* the millisecond that is counted */
    uint64_t moved; /* in it */
};

/* So many bytes were moved in one turn, and no more can be now; answers whether the pipe is busy. */
bool backoff_is_due(struct backoff *backoff, uint64_t moved, int64_t now_ms);
