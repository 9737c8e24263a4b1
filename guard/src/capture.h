/* A log of bounded size for any input in its pipe: two files, the older one replaced when the newer is full. */
#pragma once

#include <stdint.h>

#include "reserve.h"

struct capture {
    int directory;
    struct reserve reserve;
    const char *name;
    const char *older;
    int64_t capacity; /* of each file, in bytes */
    int file;         /* -1 while it cannot be written */
    int64_t size;
};

/* Begins an empty log, without the one of an earlier run. */
struct capture capture_open(int directory, const struct reserve *reserve, const char *name, const char *older,
                            int64_t capacity);

/* Moves what is in the pipe now, up to one buffer; a log that cannot be written loses bytes and blocks nothing.
 * So does one on a disk with less than 1 MiB to spare: what is left there is for ending and removing VMs.
 * Answers how many bytes were taken, 0 if the pipe is empty for now, -1 at its end. */
long capture_take(struct capture *capture, int pipe);
