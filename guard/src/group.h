/* The control group of a VM's processes: QEMU, and the guard's helpers beside it; the guard itself is not in it. docs/guard.md says
 * where it lies. A guard has one at most. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct wall;

/* What is wanted of it. */
struct group_wish {
    const char *parent; /* "auto", or the absolute path of the group that it is to be in; NULL: none is wanted */
    int64_t memory_bytes; /* 0, here and below: no limit of this kind */
    int64_t tasks;
    int64_t weight;
};

/* What its processes have taken; -1: that is not known. */
struct group_use {
    int64_t memory_peak;
    int64_t oom_kills;
};

/* Makes the group and sets its limits, before anything is started that is to be in it, and writes down in DIR/group.json what was
 * had of it. `disk` is a directory on the file system of the program's disk. Ends the guard with a sentence if a group was named and
 * cannot be had, here or when the first child is started. */
void group_begin(const struct group_wish *wish, const char *vm, int directory, const char *disk);

/* Forks a child into the group, if there is one, with flags as clone(2) has them for namespaces; -1 with errno. */
pid_t group_fork(unsigned long long flags);

/* Removes what guards that were killed have left beside it, with what may still be in it. */
void group_sweep(void);

/* Lets the guard remove its group from behind a wall. */
void group_allow(const struct wall *wall);

/* Kills what is still in the group, waits for its end and removes it. The guard's children have been reaped. */
struct group_use group_end(void);
