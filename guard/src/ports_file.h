/* The file DIR/ports. Free of I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forwarder.h"

enum { PORTS_FILE_MAX = 4096 };

struct wanted_port {
    uint32_t address; /* in the order of the network, as the ports of the host */
    uint16_t port;
    uint16_t guest_port;
};

struct ports_file {
    uint64_t number;
    int count;
    struct wanted_port list[FORWARDED_PORTS];
};

/* Reads a line with a number, and then of each port `ADDRESS:HOST:GUEST`, the address of IPv4. False if it is anything else. */
bool ports_file_parse(const char *text, size_t length, struct ports_file *file);
