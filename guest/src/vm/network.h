/* The network of the first interface that is not the loopback, but where it is said. Used in a child: it waits for the kernel's
 * answers. */
#pragma once

#include <stdbool.h>

#include "wire/network_rules.h"

/* Its index; 0 if there is none. */
unsigned network_interface(char *name);

/* Gives the loopback one address more, if it is not there: for this machine alone, no program chooses it by itself. The kernel
 * answers at once. False with errno. */
bool network_add_to_loopback(const struct address *address);

/* Addresses and routes that were there before are removed. False with errno. */
bool network_apply(const struct network *network);
