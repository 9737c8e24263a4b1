/* The last that the agent does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { REASON_REQUESTED = 1, REASON_MAIN_ENDED = 2, REASON_REQUESTED_WITH_MAIN = 3 };

/* What GOODBYE says: how the main execution ended, unless the reason is that it was only requested; and how many processes
 * had to be killed, if it was requested. */
struct last_words {
    uint32_t reason, kind, value, killed;
};

/* Leaves the disk without anything to recover, says the last words, and ends the VM. Nothing else may run any more. */
__attribute__((noreturn)) void power_off(const struct last_words *words);

/* The port of the last words. */
void goodbye_open(int fd);
bool goodbye_is_open(void);
