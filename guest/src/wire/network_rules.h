/* The network of a machine, and what it may be beyond its form. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ADDRESSES_MAX = 4, GATEWAYS_MAX = 2, NAME_SERVERS_MAX = 3 };

struct address {
    int family; /* AF_INET or AF_INET6 */
    uint8_t bytes[16];
    uint8_t prefix;
};

struct network {
    uint32_t mtu;    /* 0: as it is */
    bool has_mac;
    uint8_t mac[6];
    uint32_t address_count, gateway_count, name_server_count;
    struct address addresses[ADDRESSES_MAX], gateways[GATEWAYS_MAX], name_servers[NAME_SERVERS_MAX];
};

/* A sentence on what is wrong; NULL: nothing. */
const char *network_complaint(const struct network *network);
