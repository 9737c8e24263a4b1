/* Connecting to a TCP port of this guest, from an address that is no loopback. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a port may listen on, in the order in which it is tried: 127.0.0.1, the guest's own address, ::1. */
enum { CANDIDATES = 3 };

/* Begins to connect; never waits. Answers a descriptor, and whether it is connected already; or -1 with errno, which is
 * EADDRNOTAVAIL also where there is no such candidate, and EPERM where the peer would be a loopback and may not be. */
int connect_begin(uint16_t port, unsigned candidate, bool as_loopback, bool *connected);

/* Whether an attempt has ended, and how: errno 0 is connected. */
bool connect_ended(int fd, int *error);
