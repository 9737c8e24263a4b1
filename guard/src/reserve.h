/* The space that the state root keeps for the time when its disk is full (docs/on-disk.md, `reserve`): a command that ends
 * or removes something cuts space off it. Neither a guest nor a log may fill the space that it lacks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct reserve {
    const char *path; /* NULL: there is none */
};

/* How many bytes are free on the file system of a directory beside what the reserve lacks; 0 if it lacks as much or more, and
 * INT64_MAX if that cannot be found out. A reserve that is not there, or on another file system, lacks nothing. */
int64_t reserve_spares(const struct reserve *reserve, int directory);

/* Makes it whole, as far as there is room and no other process is changing it. False if it still lacks something. */
bool reserve_make_whole(const struct reserve *reserve, int directory);
