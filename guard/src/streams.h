/* The connections of published ports: each a client of this host and a stream that DIAL began in the guest
 * (docs/guest-protocol.md). What the guest says is trusted in nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guest_frames.h"

enum { STREAMS = 256 };

struct pollfd;

/* Whether one more client may be taken; none before the guest's HELLO. */
bool streams_have_room(void);

/* Takes a client's socket, which does not block. */
void streams_add(int client, uint16_t guest_port);

/* What each client is waited for; a slot without a use has -1. */
void streams_watch(struct pollfd *events);

/* Answers whether a client has sent something. */
bool streams_handle(const struct pollfd *events);

/* Sends what there is room for. */
void streams_pump(void);

/* Takes a frame of the guest; false if it may not come. */
bool streams_hear(const struct guest_frame *frame);

/* What is sent to the guest: room for a frame with so much payload, and the frame. The channel's. */
bool channel_has_room(uint32_t payload);
void channel_send(uint16_t type, uint32_t stream, uint32_t request, const uint8_t *payload, uint32_t length);
