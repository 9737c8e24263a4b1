/* The processes of the VM: all of them end up as children of PID 1. */
#pragma once

#include <stdbool.h>

void children_open(void);

/* Takes the status of all that have ended. */
void children_reap(void);

/* Whether no process is left, as of the last children_reap. */
bool children_none(void);
