/* The process between a guest and its network: it passes on what the filter lets through. */
#pragma once

#include <stdint.h>

/* What `traffic` holds: when a published port was last used, in ms of CLOCK_MONOTONIC, most significant byte first.
 * Empty until then. */
enum { TRAFFIC_LENGTH = 8 };

/* Frames on either side are what QEMU's stream sockets carry: a length of four bytes, most significant first, and an
 * Ethernet frame. One byte on `ready` says that the network answers. Ends the process when the network ends. `mac` is the guest's,
 * which passt has to know before the guest has said anything. Its standard error is the network's log. */
__attribute__((noreturn)) void relay(int guest, int network, int ready, int traffic, const uint8_t *mac);
