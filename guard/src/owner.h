/* The owner: its pipe, the lock that tells whether there is another owner, and the notes of VMs that need none. */
#pragma once

#include <stdbool.h>

/* Reads the pipe, which must be readable; false at its end. What the owner writes means nothing. */
bool owner_there(int pipe);

enum ownership {
    OWNED,    /* a process holds DIR/owner.lock */
    POOLED,   /* DIR/pooled exists: the VM needs no owner until it is claimed */
    DETACHED, /* DIR/detached exists: the VM outlives its owners */
    ABANDONED,
};

/* Answers who owns the VM once its starter is gone. With `kill` the guard holds the lock of an abandoned one from
 * now on, because that is about to be killed and no process shall adopt it; else it lets go of it. */
enum ownership ownership(int directory, bool kill);

enum retirement { RETIRED, CLAIMED, NOT_POOLED };

/* Takes an entry out of its pool for good, unless a process has claimed it: the one that renames DIR/pooled has it. */
enum retirement retire(int directory);
