/* The processes of the VM: all of them end up as children of PID 1. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* `ended` is called for each that has ended; answers whether it was the agent's own work. */
void children_open(bool (*ended)(pid_t pid, int status));

/* Takes the status of all that have ended. */
void children_reap(void);

/* Whether no process is left, not even one that has ended and is still to be reaped. */
bool children_none(void);

/* How many SIGKILL has ended of those that were reaped, without the agent's own work. */
unsigned children_killed(void);
