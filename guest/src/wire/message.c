#include "wire/message.h"

#include <stdlib.h>
#include <string.h>

bool message_continues(const struct message *message, const struct frame *frame) {
    return message->bytes != NULL && message->type == frame->type && message->stream == frame->stream &&
           message->request == frame->request;
}

enum joined message_join(struct message *message, const struct frame *frame, uint8_t **payload, size_t *length) {
    bool last = (frame->flags & FRAME_MORE) == 0;
    if (message->bytes == NULL) {
        if (last) {
            *payload = frame->payload;
            *length = frame->length;
            return JOINED_WHOLE;
        }
        /* One byte more, which the reader of the payload may write to. */
        message->bytes = malloc(MESSAGE_MAX + 1);
        if (message->bytes == NULL) return JOINED_NO_MEMORY;
        message->length = 0;
        message->too_long = false;
        message->type = frame->type;
        message->stream = frame->stream;
        message->request = frame->request;
    }
    if (frame->length > MESSAGE_MAX - message->length) message->too_long = true;
    if (!message->too_long) {
        memcpy(message->bytes + message->length, frame->payload, frame->length);
        message->length += frame->length;
    }
    if (!last) return JOINED_MORE;
    if (message->too_long) return JOINED_TOO_LONG;
    *payload = message->bytes;
    *length = message->length;
    return JOINED_WHOLE;
}

void message_drop(struct message *message) {
    free(message->bytes);
    message->bytes = NULL;
}
