/* Whether a pipe between a program and the agent is busy. One through which little goes is looked at at each of its
 * events. A busy one would wake the agent at every write or read of the program, and these turns on the one processor
 * cost several times what the bytes do; so it gets more room, is left alone for a moment, and then all is moved. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    REST_MS = 1,
    REST_PIPE = 1024 * 1024, /* holds what a program writes or reads in that time */
    REST_BUSY = 4096,        /* bytes in a millisecond; programs write as much at a time, if they save on that */
    REST_TURN = 1024,        /* what a turn counts for, without its bytes */
};

/* All zeros: nothing was moved. */
struct rest {
    int64_t since; /* the millisecond that is counted */
    uint64_t moved; /* in it */
};

/* So many bytes were moved in one turn, and no more can be now; answers whether the pipe is busy. */
bool rest_is_due(struct rest *rest, uint64_t moved, int64_t now_ms);
