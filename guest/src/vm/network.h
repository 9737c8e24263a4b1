/* The network of the first interface that is not the loopback. Used in a child: it waits for the kernel's answers. */
#pragma once

#include <stdbool.h>

#include "wire/network_rules.h"

/* Its index; 0 if there is none. */
unsigned network_interface(char *name);

/* Addresses and routes that were there before are removed. False with errno. */
bool network_apply(const struct network *network);
