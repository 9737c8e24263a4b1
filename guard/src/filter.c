#include "filter.h"

#include <netinet/in.h>
#include <string.h>

enum { ETHERNET = 14, ETHERNET_TYPE = 12, TYPE_ARP = 0x0806, TYPE_IPV4 = 0x0800, IPV4_MIN = 20, PORTS = 4 };
enum { TCP_MIN = 20, TCP_FLAGS = 13, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16 };
enum { DNS_PORT = 53 };

/* How long the guest may answer: a connection as long as it takes to accept it, a datagram as firewalls do it. */
enum { TCP_ANSWER_MS = 60000, UDP_ANSWER_MS = 180000 };

struct packet {
    const uint8_t *payload;
    size_t payload_length;
    uint32_t source;
    uint32_t destination;
    uint8_t protocol;
};

static uint16_t get16(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

static uint32_t get32(const uint8_t *bytes) { return (uint32_t)get16(bytes) << 16 | get16(bytes + 2); }

/* Fragments are none: passt does not put them together, and only the first one has ports. */
static bool parse(const uint8_t *frame, size_t length, struct packet *packet) {
    if (length < ETHERNET + IPV4_MIN) return false;
    const uint8_t *header = frame + ETHERNET;
    size_t header_length = (size_t)(header[0] & 15) * 4, total = get16(header + 2);
    if (header[0] >> 4 != 4 || header_length < IPV4_MIN || total < header_length || total > length - ETHERNET) {
        return false;
    }
    if ((get16(header + 6) & 0x3fff) != 0) return false;
    *packet = (struct packet){
        .payload = header + header_length,
        .payload_length = total - header_length,
        .source = get32(header + 12),
        .destination = get32(header + 16),
        .protocol = header[9],
    };
    return true;
}

/* Addresses that are the host's, or mean one only on a link: none of them leads to another machine. */
static bool denied(const struct filter *filter, uint32_t address) {
    uint8_t first = (uint8_t)(address >> 24);
    if (first == 0 || first == 127 || first >= 224 || address >> 16 == 0xa9fe) return true;
    if (address == GATEWAY_ADDRESS || address == NAME_SERVER || address == GUEST_ADDRESS) return true;
    if (address == LINK_NETWORK || address == LINK_BROADCAST) return true;
    for (size_t i = 0; i < filter->local_count; i++) {
        if (filter->local[i] == address) return true;
    }
    return false;
}

static struct peer *place(struct filter *filter, struct peer peer) {
    uint32_t hash = (peer.address * 31 + peer.port) * 31 + peer.guest_port + peer.protocol;
    return &filter->peers[hash * 2654435761U >> 20];
}
_Static_assert(PEERS == 1 << 12, "a place is the upper 12 bits of a hash");

static bool is_known(const struct peer *known, struct peer peer, int64_t now_ms) {
    return known->until_ms > now_ms && known->address == peer.address && known->port == peer.port &&
           known->guest_port == peer.guest_port && known->protocol == peer.protocol;
}

static bool answers(struct filter *filter, const struct packet *packet, int64_t now_ms) {
    if (packet->payload_length < PORTS) return false;
    struct peer peer = {
        .address = packet->destination,
        .port = get16(packet->payload + 2),
        .guest_port = get16(packet->payload),
        .protocol = packet->protocol,
    };
    struct peer *known = place(filter, peer);
    if (packet->protocol == IPPROTO_UDP) {
        /* Who is on the host's loopback appears as the gateway: passt knows, and gives it the answer. */
        return is_known(known, peer, now_ms);
    }
    if (packet->protocol != IPPROTO_TCP || packet->payload_length < TCP_MIN) return false;
    uint8_t flags = packet->payload[TCP_FLAGS];
    /* Without SYN it belongs to a connection that passt knows, or to none. A SYN may begin one: only once, as answer. */
    if ((flags & TCP_SYN) == 0) return true;
    if ((flags & TCP_ACK) == 0 || !is_known(known, peer, now_ms)) return false;
    known->until_ms = 0;
    return true;
}

bool filter_from_guest(struct filter *filter, const uint8_t *frame, size_t length, int64_t now_ms) {
    if (length < ETHERNET) return false;
    uint16_t type = get16(frame + ETHERNET_TYPE);
    if (type == TYPE_ARP) return true; /* passt answers it by itself */
    struct packet packet;
    if (type != TYPE_IPV4 || !parse(frame, length, &packet) || packet.source != GUEST_ADDRESS) return false;
    if (packet.destination == NAME_SERVER) {
        return packet.protocol == IPPROTO_UDP && packet.payload_length >= PORTS && get16(packet.payload + 2) == DNS_PORT;
    }
    if (denied(filter, packet.destination)) return answers(filter, &packet, now_ms);
    return packet.protocol == IPPROTO_TCP || packet.protocol == IPPROTO_UDP || packet.protocol == IPPROTO_ICMP;
}

static void put16(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static void put32(uint8_t *bytes, uint32_t value) {
    put16(bytes, value >> 16);
    put16(bytes + 2, value);
}

/* RFC 1071; of an even number of bytes. */
static uint32_t checksum(uint32_t sum, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i += 2) sum += get16(bytes + i);
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

bool filter_acknowledges(const uint8_t *frame, size_t length, uint8_t answer[ACKNOWLEDGEMENT]) {
    enum { IP = ETHERNET, TCP = IP + IPV4_MIN, ADDRESS = 6, TTL = 255, WINDOW = 1024 };
    struct packet packet;
    if (get16(frame + ETHERNET_TYPE) != TYPE_IPV4 || !parse(frame, length, &packet)) return false;
    if (packet.protocol != IPPROTO_TCP || packet.payload_length < TCP_MIN) return false;
    const uint8_t *consent = packet.payload;
    if ((consent[TCP_FLAGS] & (TCP_SYN | TCP_ACK)) != (TCP_SYN | TCP_ACK)) return false;
    memset(answer, 0, ACKNOWLEDGEMENT);
    memcpy(answer, frame + ADDRESS, ADDRESS);
    memcpy(answer + ADDRESS, frame, ADDRESS);
    put16(answer + ETHERNET_TYPE, TYPE_IPV4);
    answer[IP] = 0x45;
    put16(answer + IP + 2, ACKNOWLEDGEMENT - ETHERNET);
    answer[IP + 8] = TTL;
    answer[IP + 9] = IPPROTO_TCP;
    put32(answer + IP + 12, packet.destination);
    put32(answer + IP + 16, packet.source);
    put16(answer + IP + 10, ~checksum(0, answer + IP, IPV4_MIN));
    put16(answer + TCP, get16(consent + 2));
    put16(answer + TCP + 2, get16(consent));
    put32(answer + TCP + 4, get32(consent + 8));
    put32(answer + TCP + 8, get32(consent + 4) + 1);
    answer[TCP + 12] = 0x50;
    answer[TCP + TCP_FLAGS] = TCP_ACK;
    put16(answer + TCP + 14, WINDOW); /* in units that passt has chosen; it says soon enough what it takes */
    put16(answer + TCP + 16, ~checksum(IPPROTO_TCP + TCP_MIN, answer + IP + 12, 8 + TCP_MIN));
    return true;
}

bool filter_to_guest(struct filter *filter, const uint8_t *frame, size_t length, int64_t now_ms) {
    struct packet packet;
    if (length < ETHERNET || get16(frame + ETHERNET_TYPE) != TYPE_IPV4) return false;
    if (!parse(frame, length, &packet) || packet.payload_length < PORTS) return false;
    bool datagram = packet.protocol == IPPROTO_UDP;
    bool stream = packet.protocol == IPPROTO_TCP && packet.payload_length >= TCP_MIN;
    uint8_t flags = stream ? packet.payload[TCP_FLAGS] : 0;
    /* passt sends a SYN without ACK for a connection to a published port only, never because of what the guest does. */
    bool opening = stream && (flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
    if (!denied(filter, packet.source)) return opening;
    /* The guest begins nothing with these, so there is nothing but what they have begun. A refusal is provoked by any
     * frame, and a name server asked. */
    bool use = (datagram && packet.source != NAME_SERVER) || (stream && (flags & TCP_RST) == 0);
    if (!datagram && !opening) return use;
    struct peer peer = {
        .address = packet.source,
        .port = get16(packet.payload),
        .guest_port = get16(packet.payload + 2),
        .protocol = packet.protocol,
        .until_ms = now_ms + (datagram ? UDP_ANSWER_MS : TCP_ANSWER_MS),
    };
    *place(filter, peer) = peer;
    return use;
}
