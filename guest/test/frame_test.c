#include "wire/frame.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "check.h"

struct stream {
    uint8_t bytes[4 * 1024 * 1024];
    size_t length;
};

static struct stream stream;
static struct frame_parser parser;

static void add(const void *bytes, size_t length) {
    CHECK(length <= sizeof stream.bytes - stream.length);
    memcpy(stream.bytes + stream.length, bytes, length);
    stream.length += length;
}

static void add_frame(uint16_t type, uint32_t request, const void *payload, uint32_t length) {
    uint8_t header[FRAME_HEADER], seal[FRAME_SEAL];
    struct frame frame = {.type = type, .request = request, .length = length};
    put32(seal, frame_header(header, &frame));
    add(header, sizeof header);
    add(payload, length);
    add(seal, sizeof seal);
}

/* The request of the next frame, 0 if there is none; feeds pieces of random length. */
static uint32_t next_request(size_t *position, uint64_t *seed) {
    while (*position < stream.length) {
        size_t left = stream.length - *position;
        size_t piece = 1 + random_below(seed, random_below(seed, 4) == 0 ? 3 : 70000);
        uint8_t *copy = malloc(piece < left ? piece : left); /* exact, so that the sanitizer sees a read beyond it */
        size_t length = piece < left ? piece : left;
        memcpy(copy, stream.bytes + *position, length);
        bool complete;
        const uint8_t *bytes = copy;
        if (length <= frame_body_missing(&parser) && random_below(seed, 2) == 0) { /* read to where they belong */
            bytes = memcpy(frame_body(&parser), copy, length);
        }
        size_t taken = frame_parse(&parser, bytes, length, &complete);
        free(copy);
        CHECK(taken <= length && (complete || taken == length));
        *position += taken;
        if (complete) return parser.frame.request;
    }
    return 0;
}

static void crc_is_that_of_zlib(void) {
    CHECK(crc32((const uint8_t *)"123456789", 9) == 0xcbf43926);
    CHECK(crc32(NULL, 0) == 0);
}

static void header_is_as_documented(void) {
    uint8_t header[FRAME_HEADER];
    struct frame frame = {.type = 0x0201, .flags = 1, .stream = 0x04030201, .request = 5, .length = 6};
    uint32_t seal = frame_header(header, &frame);
    CHECK(memcmp(header, "CLH1\x01\x02\x01\x00\x01\x02\x03\x04\x05\0\0\0\x06\0\0\0", 20) == 0);
    CHECK(get32(header + 20) == crc32(header, 20) && seal == ~crc32(header, 20));
}

/* In spite of all that stands between frames (garbage, cut frames followed by the zeros of a new connection, broken
 * seals), the frames after it are found, and nothing else is. */
static void frames_are_found_in_any_stream(uint64_t seed) {
    static uint8_t payload[FRAME_PAYLOAD_MAX + 8];
    static const uint8_t zeros[FRAME_PAYLOAD_MAX + FRAME_SEAL];
    uint32_t expected[64], count = 0;
    stream.length = 0;
    parser = (struct frame_parser){0};
    for (uint32_t i = 1; i <= 12; i++) {
        uint32_t length = random_below(&seed, 3) == 0 ? random_below(&seed, FRAME_PAYLOAD_MAX + 1) : random_below(&seed, 40);
        for (uint32_t k = 0; k < length; k++) payload[k] = (uint8_t)next_random(&seed);
        size_t start = stream.length;
        switch (random_below(&seed, 5)) {
            case 0: /* cut off, as by an owner that died, then the next connection's zeros */
                add_frame(EXEC, 1000 + i, payload, length);
                stream.length = start + random_below(&seed, (uint32_t)(stream.length - start));
                add(zeros, sizeof zeros);
                break;
            case 1: /* garbage that begins no header */
                for (uint32_t k = 0; k < length; k++) {
                    if (payload[k] == 'C') payload[k] = 'c';
                }
                add(payload, length);
                break;
            case 2: /* near misses */
                add("CLH", 3);
                add("CLHCLCCLH1", 10);
                add(zeros, 24);
                break;
            case 3: /* a broken seal */
                add_frame(EXEC, 2000 + i, payload, length);
                stream.bytes[stream.length - 1 - random_below(&seed, 4)] ^= 0x10;
                break;
            default:
                break;
        }
        add_frame(PING, i, payload, length);
        expected[count++] = i;
    }
    size_t position = 0;
    for (uint32_t i = 0; i < count; i++) CHECK(next_request(&position, &seed) == expected[i]);
    CHECK(next_request(&position, &seed) == 0);
}

static void bad_headers_are_no_frames(void) {
    uint64_t seed = 1;
    uint8_t header[FRAME_HEADER];
    const struct frame bad[] = {{.type = PING, .request = 7, .flags = 2}, {.type = PING, .request = 7, .length = FRAME_PAYLOAD_MAX + 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t seal[FRAME_SEAL];
        stream.length = 0;
        parser = (struct frame_parser){0};
        put32(seal, frame_header(header, &bad[i]));
        add(header, sizeof header);
        add(seal, sizeof seal);
        add_frame(PING, 8, "x", 1);
        size_t position = 0;
        CHECK(next_request(&position, &seed) == 8);
    }
}

static void random_bytes_harm_nobody(uint64_t seed) {
    stream.length = 0;
    parser = (struct frame_parser){0};
    for (int i = 0; i < 20000; i++) {
        uint64_t word = next_random(&seed);
        if ((word & 7) == 0) add("CLH1", 4);
        else add(&word, 1 + word % 8);
    }
    size_t position = 0;
    CHECK(next_request(&position, &seed) == 0);
}

int main(void) {
    crc_is_that_of_zlib();
    header_is_as_documented();
    bad_headers_are_no_frames();
    for (uint64_t seed = 1; seed <= 150; seed++) {
        check_seed = seed;
        frames_are_found_in_any_stream(seed);
        random_bytes_harm_nobody(seed);
    }
    fprintf(stderr, "frame: ok\n");
    return 0;
}
