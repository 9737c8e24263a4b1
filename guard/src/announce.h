/* What the starter is told once, and what is left to do then. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct announcement {
    int directory;
    int record; /* guard.json, which is not on the disk yet */
    bool made;
};

/* Says that the program has started, the first time. Afterwards nothing of the starter's is held open but the owner's pipe. */
void announce(struct announcement *announcement, pid_t program);
