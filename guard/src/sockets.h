/* The listening sockets that the program inherits. */
#pragma once

#include "options.h"

/* Binds and listens on every --listen path; fills one descriptor for each. A stale socket file is replaced, any
 * other file is not. Ends the guard with a sentence on failure, without leaving socket files behind. */
void listen_all(const struct options *options, int *descriptors);

void remove_sockets(const struct options *options);
