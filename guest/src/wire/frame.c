#include "wire/frame.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"

static const uint8_t MAGIC[4] = {'C', 'L', 'H', '1'};

uint32_t frame_header(uint8_t *out, const struct frame *frame) {
    memcpy(out, MAGIC, sizeof MAGIC);
    put16(out + 4, frame->type);
    put16(out + 6, frame->flags);
    put32(out + 8, frame->stream);
    put32(out + 12, frame->request);
    put32(out + 16, frame->length);
    uint32_t crc = crc32(out, 20);
    put32(out + 20, crc);
    return ~crc;
}

static bool is_header(const uint8_t *header) {
    return memcmp(header, MAGIC, sizeof MAGIC) == 0 && get32(header + 20) == crc32(header, 20) &&
           (get16(header + 6) & ~FRAME_MORE) == 0 && get32(header + 16) <= FRAME_PAYLOAD_MAX;
}

/* Drops the first byte, and those after it that cannot begin a header. */
static void search_on(struct frame_parser *parser) {
    uint8_t *next = memchr(parser->header + 1, MAGIC[0], parser->header_length - 1);
    size_t kept = next == NULL ? 0 : (size_t)(parser->header + parser->header_length - next);
    memmove(parser->header, parser->header + parser->header_length - kept, kept);
    parser->header_length = kept;
}

static size_t take_header(struct frame_parser *parser, const uint8_t *bytes, size_t length) {
    size_t skipped = 0;
    if (parser->header_length == 0) {
        const uint8_t *start = memchr(bytes, MAGIC[0], length);
        if (start == NULL) return length;
        skipped = (size_t)(start - bytes);
    }
    size_t missing = FRAME_HEADER - parser->header_length;
    size_t n = length - skipped < missing ? length - skipped : missing;
    memcpy(parser->header + parser->header_length, bytes + skipped, n);
    parser->header_length += n;
    if (parser->header_length == FRAME_HEADER && !is_header(parser->header)) search_on(parser);
    return skipped + n;
}

/* So many bytes of the body have come; whether they complete a frame. Without its seal it was none. */
static bool body_came(struct frame_parser *parser, size_t length) {
    uint32_t payload = get32(parser->header + 16);
    parser->body_length += length;
    if (parser->body_length < payload + FRAME_SEAL) return false;
    parser->header_length = 0;
    parser->body_length = 0;
    if (get32(parser->body + payload) != ~get32(parser->header + 20)) return false;
    parser->frame = (struct frame){
        .type = get16(parser->header + 4),
        .flags = get16(parser->header + 6),
        .stream = get32(parser->header + 8),
        .request = get32(parser->header + 12),
        .length = payload,
        .payload = parser->body,
    };
    return true;
}

size_t frame_body_missing(const struct frame_parser *parser) {
    if (parser->header_length < FRAME_HEADER) return 0;
    return get32(parser->header + 16) + FRAME_SEAL - parser->body_length;
}

size_t frame_parse(struct frame_parser *parser, const uint8_t *bytes, size_t length, bool *complete) {
    size_t taken = 0;
    *complete = false;
    while (taken < length && !*complete) {
        size_t missing = frame_body_missing(parser);
        if (missing == 0) {
            taken += take_header(parser, bytes + taken, length - taken);
            continue;
        }
        size_t n = length - taken < missing ? length - taken : missing;
        uint8_t *body = frame_body(parser);
        if (bytes + taken != body) memcpy(body, bytes + taken, n);
        taken += n;
        *complete = body_came(parser, n);
    }
    return taken;
}
