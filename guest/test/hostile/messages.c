/* Messages that no request asked for, or that do not belong there. */
#include "conversation.h"

#include <string.h>

#include "control/hello.h"
#include "wire/bytes.h"

static void forged_goodbye(struct conversation *c) {
    started(c);
    numbers(c, GOODBYE, 0, 0, 3, (uint64_t[]){1, 0, 0});
    output(c, "still here\n", 11);
    exited(c);
}

static void acknowledged_again(struct conversation *c) { say(c, RESET_ACK, 0, 0, FILL, 8); }
static void hello_again(struct conversation *c) { hello_send((int)(c - conversations)); }
static void detached_unasked(struct conversation *c) { say(c, DETACHED, c->stream + 1000, 0, NULL, 0); }
static void attached_unasked(struct conversation *c) { say(c, ATTACHED, c->stream, 0x7fffffff, FILL, 36); }

static void listing_of_billions(struct conversation *c) {
    uint8_t payload[64];
    memset(payload, 0xff, sizeof payload);
    say(c, LISTING, 0, c->request, payload, sizeof payload);
}

static void measured_unasked(struct conversation *c) { say(c, MEASURED, 0, 0x7fffffff, FILL, 24); }
static void log_on_the_wrong_port(struct conversation *c) { say(c, LOG, 1, 0, FILL, 100); }

static void hello(struct conversation *c) {
    started(c);
    output(c, "hello\n", 6);
    exited(c);
}

const struct lie MESSAGE_LIES[] = {
    {"hello", hello},
    {"forged-goodbye", forged_goodbye},
    {"acknowledged-again", acknowledged_again},
    {"hello-again", hello_again},
    {"detached-unasked", detached_unasked},
    {"attached-unasked", attached_unasked},
    {"listing-of-billions", listing_of_billions},
    {"measured-unasked", measured_unasked},
    {"log-on-the-wrong-port", log_on_the_wrong_port},
    {NULL, NULL},
};
