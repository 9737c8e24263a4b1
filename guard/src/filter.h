/* What may pass between a guest and its network: every frame of the guest is judged by the address that it is sent to.
 * passt would let it reach the host by the gateway's address, and could be told to keep a well-behaved guest from that; but
 * it opens a connection to 127.0.0.1 for a guest that writes that address into a packet. Free of I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The link as a guest sees it, IPv4 in the host's byte order; docs/vm.md has it for the host's other side. */
enum {
    GUEST_ADDRESS = 0x0acb000f,   /* 10.203.0.15 */
    GATEWAY_ADDRESS = 0x0acb0002, /* 10.203.0.2 */
    NAME_SERVER = 0x0acb0003,     /* 10.203.0.3 */
    LINK_NETWORK = 0x0acb0000,    /* 10.203.0.0/24, the addresses of the link */
    LINK_BROADCAST = 0x0acb00ff,  /* 10.203.0.255 */
};

enum { FRAME_MAX = 65535 + 14, LOCAL_MAX = 4096, PEERS = 4096 };

/* A client on the host that sent to a published port, which the guest may therefore answer. */
struct peer {
    uint32_t address;
    uint16_t port;
    uint16_t guest_port;
    uint8_t protocol;
    int64_t until_ms; /* 0: a free entry */
};

struct filter {
    uint32_t local[LOCAL_MAX]; /* the host's own addresses */
    size_t local_count;
    struct peer peers[PEERS];
};

/* Whether a frame of the guest may go to the network. */
bool filter_from_guest(struct filter *filter, const uint8_t *frame, size_t length, int64_t now_ms);

enum { ACKNOWLEDGEMENT = 54 };

/* The last step of a handshake, which passt of 2023 takes only once its own side has something to say, so that a server
 * that speaks first waits for ever: fills `answer` for the guest if the frame, which may pass, is a guest's consent to a
 * connection. */
bool filter_acknowledges(const uint8_t *frame, size_t length, uint8_t answer[ACKNOWLEDGEMENT]);

/* Takes note of what comes from the network to the guest; all of it may pass. True if it shows that a published port is
 * in use, which no frame of the guest can bring about: a connection begins, from any address, or a process on the host
 * sends data in one that has begun, or in a datagram. */
bool filter_to_guest(struct filter *filter, const uint8_t *frame, size_t length, int64_t now_ms);
