#include "wire/network_rules.h"

#include <string.h>
#include <sys/socket.h>

enum { MTU_MIN = 68, MTU_MIN_IPV6 = 1280, MTU_MAX = 65535 };

static const uint8_t MAPPED[12] = {[10] = 0xff, [11] = 0xff};

static uint32_t ipv4(const struct address *a) {
    return (uint32_t)a->bytes[0] << 24 | (uint32_t)a->bytes[1] << 16 | (uint32_t)a->bytes[2] << 8 | a->bytes[3];
}

static bool is_loopback(const struct address *a) {
    static const uint8_t loopback[16] = {[15] = 1};
    return a->family == AF_INET ? a->bytes[0] == 127 : memcmp(a->bytes, loopback, sizeof loopback) == 0;
}

/* One machine's: neither unspecified, nor a group's, nor reserved. */
static bool is_unicast(const struct address *a) {
    static const uint8_t unspecified[16];
    if (a->family == AF_INET) return a->bytes[0] != 0 && a->bytes[0] < 224;
    return memcmp(a->bytes, unspecified, sizeof unspecified) != 0 && a->bytes[0] != 0xff &&
           memcmp(a->bytes, MAPPED, sizeof MAPPED) != 0;
}

/* A link of two machines (31) or one (32) has no address for the network and for all. */
static bool is_of_one_host(const struct address *a) {
    if (a->prefix == 0) return false;
    if (a->family != AF_INET || a->prefix > 30) return true;
    uint32_t mask = UINT32_MAX >> a->prefix, host = ipv4(a) & mask;
    return host != 0 && host != mask;
}

static bool same(const struct address *a, const struct address *b) {
    return a->family == b->family && memcmp(a->bytes, b->bytes, a->family == AF_INET ? 4 : 16) == 0;
}

static const char *addresses_complaint(const struct network *network) {
    for (uint32_t i = 0; i < network->address_count; i++) {
        const struct address *a = &network->addresses[i];
        if (!is_unicast(a) || is_loopback(a) || !is_of_one_host(a)) return "An address cannot be a machine's own.";
        if (a->family == AF_INET6 && network->mtu != 0 && network->mtu < MTU_MIN_IPV6) {
            return "IPv6 needs an MTU of 1,280.";
        }
        for (uint32_t k = 0; k < i; k++) {
            if (same(a, &network->addresses[k])) return "An address stands there twice.";
        }
    }
    return NULL;
}

static const char *gateway_complaint(const struct network *network, const struct address *gateway) {
    bool reachable = false;
    if (!is_unicast(gateway) || is_loopback(gateway)) return "A gateway's address cannot be that of another machine.";
    for (uint32_t i = 0; i < network->address_count; i++) {
        if (same(gateway, &network->addresses[i])) return "A gateway has an address of the machine itself.";
        reachable |= gateway->family == network->addresses[i].family;
    }
    return reachable ? NULL : "A gateway's family has no address.";
}

const char *network_complaint(const struct network *network) {
    static const uint8_t zero[6];
    if (network->mtu != 0 && (network->mtu < MTU_MIN || network->mtu > MTU_MAX)) return "The MTU is not 68 to 65,535.";
    if (network->has_mac && ((network->mac[0] & 1) != 0 || memcmp(network->mac, zero, sizeof zero) == 0)) {
        return "The MAC address is a group's, or zero.";
    }
    const char *complaint = addresses_complaint(network);
    for (uint32_t i = 0; complaint == NULL && i < network->gateway_count; i++) {
        complaint = gateway_complaint(network, &network->gateways[i]);
    }
    for (uint32_t i = 0; complaint == NULL && i < network->name_server_count; i++) {
        if (!is_unicast(&network->name_servers[i])) complaint = "A name server's address cannot be that of a machine.";
    }
    return complaint;
}
