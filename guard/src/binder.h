/* The binder: a child of the guard that makes listening sockets of this host. Neither the guard, which hears QEMU, nor the
 * forwarder, which hears the guest, can make a socket that connects (docs/guard.md). */
#pragma once

#include <stdint.h>

struct binder_request {
    uint32_t number;
    uint32_t address; /* IPv4, in the order of the network, as the port */
    uint16_t port;    /* 0: any that is free */
};

/* Comes with the descriptor if error is 0. */
struct binder_answer {
    uint32_t number; /* of the request */
    int32_t error;
    uint16_t port;
};

/* In the child: never returns. */
__attribute__((noreturn)) void binder(int requests);
