/* Any bytes of a guest: what is taken for a frame is one, and lies within them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/guest_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t again[GUEST_FRAME_MAX];
    struct guest_frame frame;
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, data, size);
    long length = guest_frame_parse(copy, size, &frame);
    if (length > 0) {
        if ((size_t)length > size || frame.length > GUEST_PAYLOAD_MAX) abort();
        size_t written = guest_frame_write(again, frame.type, frame.stream, frame.request, frame.payload, frame.length);
        if (written != (size_t)length || memcmp(again, copy, written) != 0) abort();
    }
    free(copy);
    return 0;
}
