/* The guard's helpers: children that start no program of ours, and passt. */
#pragma once

#include <sys/types.h>

enum { CHILD_FIRST = 3, CHILD_MOST = 4 };

/* In the child: the kernel kills it when its guard has ended. Ends it if that has happened. */
void child_die_with(pid_t guard);

/* In the child: leaves it /dev/null, the log twice, and these descriptors from CHILD_FIRST on, at most CHILD_MOST. Nothing else
 * of the guard's stays open. */
void child_keep_only(int log, const int *descriptors, int count);

/* Answers a descriptor of a child, -1 with errno. */
int child_pidfd(pid_t pid);

/* Kills a child and reaps it; closes its pidfd. Nothing happens without a pid. */
void child_end(pid_t pid, int fd);
