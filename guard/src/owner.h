/* The owner: its pipe, and the lock that tells whether another owner has come. */
#pragma once

#include <stdbool.h>

struct owner {
    bool gone;    /* the pipe is at its end */
    bool claimed; /* C: a pool entry was handed out */
};

/* Reads the pipe, which must be readable. */
void owner_read(struct owner *owner, int pipe);

enum ownership {
    OWNED,    /* somebody holds DIR/owner.lock */
    DETACHED, /* DIR/detached exists: the VM outlives its owners */
    ABANDONED,
};

/* Whose the VM is once its starter is gone. Of an abandoned one the guard holds the lock from now on, because it is about
 * to die and nobody shall adopt it. */
enum ownership ownership(int directory);
