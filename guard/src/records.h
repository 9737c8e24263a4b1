/* The two files that others read: guard.json and exit.json. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "goodbye.h"

/* Removes the exit.json of an earlier run and writes guard.json, which is not durable yet: answers the file for
 * make_durable. Ends the guard with a sentence on failure. */
int record_guard(int directory);

struct ending {
    const char *cause;
    siginfo_t program; /* from waitid */
    int64_t started_at_ms;
    int64_t ended_at_ms;
    struct goodbye goodbye;
};

/* False with errno. */
bool record_exit(int directory, const struct ending *ending);
