/* Where a walk through a tree stands: the relative path, grown and cut by one part at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire/record.h"

struct trail {
    char path[ENTRY_NAME_MAX + 1]; /* terminated; empty at the top */
    size_t length;
    int depth;
};

/* False if the path would be longer or deeper than a name may be. */
bool trail_push(struct trail *trail, const char *part);
void trail_pop(struct trail *trail);

/* The last part, in the path. */
const char *trail_last(const struct trail *trail);
