#include "guest_frames.h"

#include <stdbool.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"

static const uint8_t MAGIC[4] = {'C', 'L', 'H', '1'};

enum { TYPE = 4, FLAGS = 6, STREAM = 8, REQUEST = 12, LENGTH = 16, SUM = 20 };

long guest_frame_parse(const uint8_t *bytes, size_t length, struct guest_frame *frame) {
    if (length < GUEST_FRAME_HEADER) return 0;
    uint32_t sum = get32(bytes + SUM), payload = get32(bytes + LENGTH);
    /* A guest's frames have no flags. */
    bool right = memcmp(bytes, MAGIC, sizeof MAGIC) == 0 && crc32(bytes, SUM) == sum && get16(bytes + FLAGS) == 0;
    if (!right || payload > GUEST_PAYLOAD_MAX) return -1;
    size_t whole = GUEST_FRAME_HEADER + (size_t)payload + GUEST_FRAME_SEAL;
    if (length < whole) return 0;
    if (get32(bytes + whole - GUEST_FRAME_SEAL) != ~sum) return -1;
    *frame = (struct guest_frame){.type = get16(bytes + TYPE),
                                  .stream = get32(bytes + STREAM),
                                  .request = get32(bytes + REQUEST),
                                  .length = payload,
                                  .payload = bytes + GUEST_FRAME_HEADER};
    return (long)whole;
}

size_t guest_frame_write(uint8_t *out, uint16_t type, uint32_t stream, uint32_t request, const uint8_t *payload, size_t length) {
    memcpy(out, MAGIC, sizeof MAGIC);
    put16(out + TYPE, type);
    put16(out + FLAGS, 0);
    put32(out + STREAM, stream);
    put32(out + REQUEST, request);
    put32(out + LENGTH, (uint32_t)length);
    uint32_t sum = crc32(out, SUM);
    put32(out + SUM, sum);
    if (length > 0) memcpy(out + GUEST_FRAME_HEADER, payload, length);
    put32(out + GUEST_FRAME_HEADER + length, ~sum);
    return GUEST_FRAME_HEADER + length + GUEST_FRAME_SEAL;
}
