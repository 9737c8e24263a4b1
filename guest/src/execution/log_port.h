/* The port of the log: what the main execution writes, as LOG frames for the guard, which always reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "execution/output.h"

void log_port_open(int fd);
bool log_port_is_open(void);

/* It may be writable again, or unplugged. */
void log_port_event(void);

/* Sends a piece of what is not logged yet; answers whether there may be more to do at once. An output whose log has
 * gone away is logged no more. */
bool log_port_send(struct output *output, uint32_t channel);
