/* Lies about frames. */
#include "conversation.h"

#include "wire/bytes.h"

static void broken_header(struct conversation *c, uint16_t flags, uint32_t length, uint32_t crc_change) {
    uint8_t header[FRAME_HEADER];
    struct frame frame = {.type = STDOUT, .flags = flags, .stream = c->stream, .length = length};
    frame_header(header, &frame);
    put32(header + 20, get32(header + 20) ^ crc_change);
    started(c);
    raw(c, header, sizeof header);
}

static void more_of_it(struct conversation *c) { raw(c, FILL, sizeof FILL); }

static void too_long(struct conversation *c) { broken_header(c, 0, FRAME_PAYLOAD_MAX + 1, 0); }
static void gigabytes_long(struct conversation *c) { broken_header(c, 0, UINT32_MAX, 0); }
static void wrong_crc(struct conversation *c) { broken_header(c, 0, 100, 1); }
static void unknown_flag(struct conversation *c) { broken_header(c, 2, 100, 0); }

static void wrong_seal(struct conversation *c) {
    broken_header(c, 0, 100, 0);
    raw(c, FILL, 104);
}

static void no_seal(struct conversation *c) {
    broken_header(c, 0, FRAME_PAYLOAD_MAX, 0);
    c->flood = more_of_it;
}

static void half_a_frame(struct conversation *c) {
    broken_header(c, 0, 1000, 0);
    raw(c, FILL, 500);
}

static void garbage(struct conversation *c) { c->flood = more_of_it; }
static void continued(struct conversation *c) { send_as(c, DONE, FRAME_MORE, 0, c->request, NULL, 0); }
static void unknown_type(struct conversation *c) { say(c, 0xff, 0, 0, NULL, 0); }
static void a_hosts_type(struct conversation *c) { say(c, EXEC, 0, c->request, FILL, 100); }
static void silence(struct conversation *c) { (void)c; }

const struct lie FRAME_LIES[] = {
    {"too-long", too_long},
    {"gigabytes-long", gigabytes_long},
    {"wrong-crc", wrong_crc},
    {"unknown-flag", unknown_flag},
    {"wrong-seal", wrong_seal},
    {"no-seal", no_seal},
    {"half-a-frame", half_a_frame},
    {"garbage", garbage},
    {"continued", continued},
    {"unknown-type", unknown_type},
    {"a-hosts-type", a_hosts_type},
    {"silence", silence},
    {NULL, NULL},
};
