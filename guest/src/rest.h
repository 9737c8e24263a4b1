/* Whether an output is busy. One that speaks now and then is looked at whenever it does. A busy one would wake the agent
 * at every write, and these turns on the one processor cost several times what the bytes do; so it is left to fill a
 * larger pipe for a moment, and then all of it is taken. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    REST_MS = 1,
    REST_PIPE = 1024 * 1024, /* holds what a program writes in that time */
    REST_BUSY = 4096,        /* bytes in a millisecond; programs write as much at a time, if they save on that */
    REST_TURN = 1024,        /* what a turn counts for, without its bytes */
};

/* All zeros: nothing has come. */
struct rest {
    int64_t since; /* the millisecond that is counted */
    uint64_t came; /* in it */
};

/* So many bytes have come in one turn, and it has no more now; answers whether it is busy. */
bool rest_is_due(struct rest *rest, uint64_t came, int64_t now_ms);
