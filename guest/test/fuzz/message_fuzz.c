/* The input is pairs of bytes: the flags and request of a frame, and a length in units that reach the limit soon. */
#include "wire/message.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t payload[FRAME_PAYLOAD_MAX + FRAME_SEAL];
    struct message message = {0};
    size_t expected = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        uint8_t *whole = NULL;
        size_t length = 0;
        struct frame frame = {.type = EXEC, .flags = data[i] & FRAME_MORE, .request = 1 + (data[i] >> 6),
                              .length = data[i + 1] * 257u, .payload = payload};
        if (message.bytes != NULL && !message_continues(&message, &frame)) {
            message_drop(&message);
            expected = 0;
        }
        expected += frame.length;
        enum joined joined = message_join(&message, &frame, &whole, &length);
        CHECK((joined == JOINED_MORE) == ((frame.flags & FRAME_MORE) != 0));
        if (joined == JOINED_MORE) continue;
        CHECK((joined == JOINED_TOO_LONG) == (expected > MESSAGE_MAX));
        if (joined == JOINED_WHOLE) {
            CHECK(length == expected);
            whole[length] = 0; /* the spare byte */
        }
        message_drop(&message);
        expected = 0;
    }
    message_drop(&message);
    return 0;
}
