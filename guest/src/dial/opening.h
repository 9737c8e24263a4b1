/* How a connection comes to its socket: a TCP port's candidates are tried in turn until one listens, a path by a child. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dial/connection.h"
#include "wire/dial_request.h"

/* False: no process. */
bool opening_begin(struct connection *c, const struct dial_request *dial);

/* Goes on with one that is not open. */
void opening_pump(struct connection *c);

/* Whether it has a socket, or a failure. */
bool opening_has_ended(const struct connection *c);

/* When that is to be called even without an event, in milliseconds as by now_ms. */
int64_t opening_deadline(const struct connection *c);
