/* The owner: its pipe, and the lock that tells whether another owner has come. */
#pragma once

#include <stdbool.h>

struct owner {
    bool gone;     /* the pipe is at its end */
    bool detached; /* D: the VM outlives its starter */
    bool claimed;  /* C: a pool entry was handed out */
};

/* Reads the pipe, which must be readable. */
void owner_read(struct owner *owner, int pipe);

/* Whether nobody holds DIR/owner.lock. If so the guard holds it from now on, because the VM is about to die and
 * nobody shall adopt it. */
bool owner_lock_is_free(int directory);
