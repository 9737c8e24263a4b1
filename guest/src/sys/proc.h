/* The kernel's own word on processes and itself, wherever the guest has mounted what it calls /proc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Mounts a procfs without a place in the tree, as nodes.h does, and answers its descriptor; -1: there is none. */
int proc_open(void);

/* What a file of it says, up to 32 KiB; empty if there is none. Valid up to the next call. */
const char *proc_text(const char *path);

/* Whether a process ignores a signal; false if that is not known. */
bool proc_ignores(pid_t pid, int number);
