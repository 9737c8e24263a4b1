#include "wire/frame_out.h"

#include <string.h>

#include "wire/bytes.h"

const uint8_t *frame_out_make(uint16_t type, uint32_t stream, const uint8_t *prefix, size_t prefix_length,
                          const struct iovec *slices, int count, size_t *length) {
    static uint8_t bytes[WRITE_MAX];
    uint8_t *next = bytes + FRAME_HEADER;
    memcpy(next, prefix, prefix_length);
    next += prefix_length;
    for (int i = 0; i < count; i++) {
        memcpy(next, slices[i].iov_base, slices[i].iov_len);
        next += slices[i].iov_len;
    }
    uint32_t payload = (uint32_t)(next - bytes - FRAME_HEADER);
    put32(next, frame_header(bytes, &(struct frame){.type = type, .stream = stream, .length = payload}));
    *length = FRAME_HEADER + payload + FRAME_SEAL;
    return bytes;
}
