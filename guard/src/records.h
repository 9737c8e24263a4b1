/* The two files that others read: guard.json and exit.json. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "goodbye.h"
#include "group.h"

/* Removes the exit.json of an earlier run and writes guard.json, which is not durable yet: answers the file for
 * make_durable. Ends the guard with a sentence on failure. */
int record_guard(int directory);

/* Writes isolation.json: the walls that the program has. Where that fails, none are shown. */
void record_isolation(int directory, const char *level, const char *missing);

/* Writes group.json: the control group of the program, and what it lacks. Without a group both names are NULL. */
void record_group(int directory, const char *parent, const char *name, const char *missing);

struct ending {
    const char *cause;
    siginfo_t program; /* from waitid */
    int64_t started_at_ms;
    int64_t ended_at_ms;
    struct goodbye goodbye;
    struct group_use use;
};

/* Makes the file of exit.json, so that an end can be recorded on a full disk: for record_exit. Ends the guard with a sentence on
 * failure. */
int prepare_exit(int directory);

/* False with errno. */
bool record_exit(int directory, int file, const struct ending *ending);
