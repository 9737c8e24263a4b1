/* A queue of bytes of fixed capacity. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ring {
    uint8_t *bytes;
    size_t capacity;
    size_t start;
    size_t length;
};

static inline size_t ring_room(const struct ring *ring) { return ring->capacity - ring->length; }

/* The caller has made sure of the room. */
void ring_put(struct ring *ring, const uint8_t *bytes, size_t length);

/* The first bytes that lie together; answers how many. */
size_t ring_peek(const struct ring *ring, const uint8_t **bytes);

void ring_drop(struct ring *ring, size_t length);
