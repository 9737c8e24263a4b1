#include "memory/ring.h"

#include <string.h>

void ring_put(struct ring *ring, const uint8_t *bytes, size_t length) {
    if (length == 0) return;
    size_t end = (ring->start + ring->length) % ring->capacity;
    size_t first = ring->capacity - end;
    if (first > length) first = length;
    memcpy(ring->bytes + end, bytes, first);
    memcpy(ring->bytes, bytes + first, length - first);
    ring->length += length;
}

size_t ring_peek(const struct ring *ring, const uint8_t **bytes) {
    size_t together = ring->capacity - ring->start;
    *bytes = ring->bytes + ring->start;
    return ring->length < together ? ring->length : together;
}

void ring_drop(struct ring *ring, size_t length) {
    ring->length -= length;
    ring->start = ring->length == 0 ? 0 : (ring->start + length) % ring->capacity;
}
