/* However the bytes are cut, and whether or not they are put where a body goes before, the same frames are found; and a
 * frame after 65,540 zeros always is. */
#include "wire/bytes.h"
#include "wire/frame.h"
#include "fuzz.h"

static size_t parse(const uint8_t *data, size_t size, size_t step, bool direct, uint64_t *digest) {
    static struct frame_parser parser;
    size_t found = 0;
    *digest = 0;
    memset(&parser, 0, sizeof parser);
    for (size_t at = 0; at < size;) {
        size_t piece = size - at < step ? size - at : step;
        uint8_t *copy = exact_copy(data + at, piece, 0);
        bool complete;
        bool place = direct && piece <= frame_body_missing(&parser);
        const uint8_t *bytes = place ? memcpy(frame_body(&parser), copy, piece) : copy;
        size_t taken = frame_parse(&parser, bytes, piece, &complete);
        exact_free(copy);
        CHECK(taken <= piece && (complete || taken == piece));
        at += taken;
        if (!complete) continue;
        const struct frame *frame = &parser.frame;
        CHECK(frame->length <= FRAME_PAYLOAD_MAX && (frame->flags & ~FRAME_MORE) == 0);
        found++;
        *digest = *digest * 31 + frame->type + frame->stream * 7 + frame->request * 11 + frame->length * 13;
        for (uint32_t i = 0; i < frame->length; i++) *digest = *digest * 33 + frame->payload[i];
    }
    return found;
}

static void reset_is_found(const uint8_t *data, size_t size) {
    uint8_t nonce[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    size_t total = size + 65540 + FRAME_HEADER + 8 + FRAME_SEAL;
    uint8_t *bytes = calloc(1, total), *end = bytes + size + 65540;
    memcpy(bytes, data, size);
    uint32_t seal = frame_header(end, &(struct frame){.type = RESET, .length = 8});
    memcpy(end + FRAME_HEADER, nonce, 8);
    put32(end + FRAME_HEADER + 8, seal);
    static struct frame_parser parser;
    memset(&parser, 0, sizeof parser);
    bool complete = false, reset = false;
    for (size_t at = 0; at < total;) {
        at += frame_parse(&parser, bytes + at, total - at, &complete);
        reset = complete && parser.frame.type == RESET && memcmp(parser.frame.payload, nonce, 8) == 0;
    }
    CHECK(reset);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t whole, pieces, bytes;
    size_t found = parse(data, size, size, false, &whole);
    CHECK(parse(data, size, 7, true, &pieces) == found && whole == pieces);
    CHECK(parse(data, size, 1, false, &bytes) == found && whole == bytes);
    reset_is_found(data, size);
    return 0;
}
