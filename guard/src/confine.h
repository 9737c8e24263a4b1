/* Giving up what a process does not need. */
#pragma once

#include <stdbool.h>

/* From here on this process may use the descriptors that it has, and make none: any other system call than those of
 * relaying ends it. */
bool confine_to_relaying(void);
