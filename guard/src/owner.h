/* The owner: its pipe, the lock that tells whether another owner has come, and the notes of who needs none. */
#pragma once

#include <stdbool.h>

/* Reads the pipe, which must be readable; false at its end. What the owner writes means nothing. */
bool owner_there(int pipe);

enum ownership {
    OWNED,    /* somebody holds DIR/owner.lock */
    POOLED,   /* DIR/pooled exists: the VM needs no owner until somebody claims it */
    DETACHED, /* DIR/detached exists: the VM outlives its owners */
    ABANDONED,
};

/* Whose the VM is once its starter is gone. Of an abandoned one the guard holds the lock from now on, because it is about
 * to die and nobody shall adopt it. */
enum ownership ownership(int directory);

enum retirement { RETIRED, CLAIMED, NOT_POOLED };

/* Takes an entry out of its pool for good, unless somebody has claimed it: who renames DIR/pooled has it. */
enum retirement retire(int directory);
