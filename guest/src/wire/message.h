/* Joins the frames of one request that carry MORE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

enum { MESSAGE_MAX = 1024 * 1024 };

/* All zeros is an empty one. */
struct message {
    uint8_t *bytes; /* NULL: nothing is being joined */
    size_t length;
    bool too_long; /* its bytes are dropped, its end still waited for */
    uint16_t type;
    uint32_t stream;
    uint32_t request;
};

enum joined {
    JOINED_WHOLE,    /* payload and length are set; valid until message_drop */
    JOINED_MORE,     /* wait for the next frame */
    JOINED_TOO_LONG, /* the message has ended and was too long */
    JOINED_NO_MEMORY,
};

/* Whether the frame belongs to the message that is being joined. */
bool message_continues(const struct message *message, const struct frame *frame);

enum joined message_join(struct message *message, const struct frame *frame, uint8_t **payload, size_t *length);

void message_drop(struct message *message);
