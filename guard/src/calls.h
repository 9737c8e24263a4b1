/* What QEMU may ask of the kernel, as a filter of its system calls; docs/guard.md says which and why. */
#pragma once

#include <stdbool.h>

/* Installs the filter for good, and answers the descriptor by which another process answers the calls that are asked about;
 * -1 with errno where the kernel does not do that. For a process that has one thread; in an empty room facts of names need no answer. */
int calls_confine(bool in_room);

/* Whether a call that is asked about reaches other files, sockets or processes, or may: such a call is never let through. */
bool calls_reach(int call);

/* Whether a request to KVM makes a VM, or a part of one, which none does that has started. */
bool calls_create(unsigned request);
