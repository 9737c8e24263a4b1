/* The forwarder: a child of the guard that takes clients of published ports, and has the guest's agent connect each to what
 * listens in the guest (docs/guard.md). */
#pragma once

#include <stdint.h>

/* What the guard tells it, each in one message; a LISTENER and the CHANNEL come with their descriptor. It answers each by its
 * number, once it is so. */
enum forwarder_order { FORWARD_CHANNEL, FORWARD_LISTENER, FORWARD_NO_MORE };

enum { FORWARDED_PORTS = 64 };

struct forwarder_message {
    uint32_t number;
    uint32_t order;
    uint32_t id; /* of a listener: below FORWARDED_PORTS */
    uint32_t guest_port;
};

/* In the child, with what it may hold open: never returns. `traffic` is where it notes when a port was used. */
__attribute__((noreturn)) void forwarder(int orders, int traffic);
