/* Moving the bytes of a connection. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dial/connection.h"

/* Takes what is within the credit. What the guest takes no more is dropped and granted again, so that the host's writer
 * does not hang before it hears of that. */
void stream_take(struct connection *c, const uint8_t *bytes, uint32_t length);

/* Writes what the socket takes, and what is due after it. */
void stream_write(struct connection *c);

/* Sends one piece to the host; answers whether there may be more to do at once. */
bool stream_read(struct connection *c);

/* The bytes to grant to the host now; 0: not worth a frame. */
uint32_t stream_grant(struct connection *c);
