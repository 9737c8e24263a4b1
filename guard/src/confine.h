/* Giving up what a process does not need. */
#pragma once

#include <stdbool.h>

/* From here on this process may use the descriptors that it has, and make none: any other system call than those of
 * relaying ends it. */
bool confine_to_relaying(void);

/* Confines the guard, all its threads, to what it does once it has started everything: no program, process, network or trace of
 * another process any more. False with errno. */
bool confine_guard(void);

/* Likewise what a forwarder does, and what a binder does. */
bool confine_to_forwarding(void);
bool confine_to_binding(void);
