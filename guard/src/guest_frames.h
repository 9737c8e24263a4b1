/* The frames of a guest on its port cloche.ports (docs/guest-protocol.md), strictly: what is no frame is the end. Free of I/O. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { GUEST_FRAME_HEADER = 24, GUEST_FRAME_SEAL = 4, GUEST_PAYLOAD_MAX = 65536 };
enum { GUEST_FRAME_MAX = GUEST_FRAME_HEADER + GUEST_PAYLOAD_MAX + GUEST_FRAME_SEAL };

struct guest_frame {
    uint16_t type;
    uint32_t stream;
    uint32_t request;
    uint32_t length;
    const uint8_t *payload;
};

/* Answers how many bytes the first frame takes, 0 if some of it are missing, -1 if the bytes do not begin with one. */
long guest_frame_parse(const uint8_t *bytes, size_t length, struct guest_frame *frame);

/* Writes a whole frame; answers its length. */
size_t guest_frame_write(uint8_t *out, uint16_t type, uint32_t stream, uint32_t request, const uint8_t *payload, size_t length);
