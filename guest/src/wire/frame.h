/* The frames of docs/guest-protocol.md: writing a header, and finding frames in any stream of bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEADER = 24, FRAME_SEAL = 4, FRAME_PAYLOAD_MAX = 65536, FRAME_MORE = 1 };

/* Set in the id of a stream that DIAL began, and in no execution's. */
static const uint32_t DIAL_ID = 0x80000000;

/* The payload of HANG_UP; anything else is a reset. */
enum { HANG_UP_CLOSE = 1 };

enum frame_type {
    RESET = 0x01,
    PING,
    CONFIGURE,
    EXEC,
    STDIN,
    STDIN_EOF,
    SIGNAL,
    CREDIT,
    SHUTDOWN,
    RESIZE,
    ATTACH,
    DETACH,
    ACKNOWLEDGE,
    RELEASE,
    LIST,
    FILE_OPERATION,
    METRICS,
    FREEZE,
    THAW,
    QUIESCE,
    GROW,
    AWAIT_INIT,
    DIAL,
    RESET_ACK = 0x81,
    PONG,
    HELLO,
    DONE,
    FAILED,
    STARTED,
    STDOUT,
    STDERR,
    EXITED,
    STDIN_CREDIT,
    GOODBYE,
    LOG,
    DETACHED,
    ATTACHED,
    LISTING,
    MEASURED,
    OUTPUT_EOF,
    HANG_UP, /* of the host, as DIAL is */
    RESET_BY_GUEST,
};

enum failure {
    BAD_REQUEST = 1,
    UNSUPPORTED,
    COMMAND_NOT_FOUND,
    COMMAND_NOT_EXECUTABLE,
    BAD_WORKING_DIRECTORY,
    UNKNOWN_USER,
    UNKNOWN_GROUP,
    NO_SUCH_EXECUTION,
    OUT_OF_RESOURCES,
    INTERNAL,
    NEEDS_IDENTITY,
    FROZEN,
    BAD_LIMIT,
    STILL_RUNNING,
    KEY_TAKEN,
    CONNECTION_REFUSED,
};

struct frame {
    uint16_t type;
    uint16_t flags;
    uint32_t stream;
    uint32_t request;
    uint32_t length;
    uint8_t *payload; /* of a parsed frame: writable, followed by at least one writable byte */
};

/* Writes the 24 bytes before the payload and answers the seal that follows it. */
uint32_t frame_header(uint8_t *out, const struct frame *frame);

/* Holds one frame at most; all zeros is a fresh parser. */
struct frame_parser {
    uint8_t header[FRAME_HEADER];
    size_t header_length;
    uint8_t body[FRAME_PAYLOAD_MAX + FRAME_SEAL];
    size_t body_length;
    struct frame frame; /* the last complete one, until the next call */
};

/* How many bytes of a frame's body are still to come; 0 while its header is. */
size_t frame_body_missing(const struct frame_parser *parser);

/* Where these bytes go. The caller that has put them there gives them to frame_parse from there, which then
 * copies nothing. */
static inline uint8_t *frame_body(struct frame_parser *parser) { return parser->body + parser->body_length; }

/* Takes bytes until a frame is complete or none are left, and answers how many it took. Bytes that are no frame are
 * passed over. */
size_t frame_parse(struct frame_parser *parser, const uint8_t *bytes, size_t length, bool *complete);
