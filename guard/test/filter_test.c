/* Rules of the filter: one by one, and on random frames. Prints nothing and exits 0 if all hold. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/filter.h"

enum { FRAME = 60, SYN = 2, SYN_ACK = 18, ACK = 16, NOW = 1000, HOST = 0xc6336401, OUTSIDE = 0xc6336402 };

static struct filter filter, other;
static uint8_t frame[FRAME];

static void expect(bool good, int line) {
    if (good) return;
    printf("filter_test.c:%d: not as expected\n", line);
    exit(1);
}

#define EXPECT(condition) expect(condition, __LINE__)

static void put(int at, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) frame[at + i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static void make(uint32_t from, uint32_t to, int protocol, int port, int to_port, int flags) {
    memset(frame, 0, FRAME);
    put(12, 0x0800, 2);
    frame[14] = 0x45;
    put(16, FRAME - 14, 2);
    frame[23] = (uint8_t)protocol;
    put(26, from, 4);
    put(30, to, 4);
    put(34, (uint32_t)port, 2);
    put(36, (uint32_t)to_port, 2);
    if (protocol == IPPROTO_TCP) frame[47] = (uint8_t)flags;
}

static bool sends(uint32_t to, int protocol, int port, int to_port, int flags, int64_t now) {
    make(GUEST_ADDRESS, to, protocol, port, to_port, flags);
    return filter_from_guest(&filter, frame, FRAME, now);
}

static bool hears(uint32_t from, int protocol, int port, int to_port, int flags, int64_t now) {
    make(from, GUEST_ADDRESS, protocol, port, to_port, flags);
    return filter_to_guest(&filter, frame, FRAME, now);
}

static void begin(void) {
    memset(&filter, 0, sizeof filter);
    filter.local[filter.local_count++] = HOST;
}

static void addresses(void) {
    static const uint32_t denied[] = {0,          1,          0x00ffffff, 0x7f000001, 0x7f000035, 0x7fffffff,    0xa9fea9fe,
                                      0xa9fe0000, 0xe0000001, 0xefffffff, 0xf0000000, 0xffffffff, GATEWAY_ADDRESS, HOST,
                                      GUEST_ADDRESS, NAME_SERVER, 0x0acb0000, 0x0acb00ff};
    begin();
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
        EXPECT(!sends(denied[i], IPPROTO_TCP, 1, 80, SYN, NOW));
        EXPECT(!sends(denied[i], IPPROTO_TCP, 1, 80, SYN_ACK, NOW));
        EXPECT(!sends(denied[i], IPPROTO_UDP, 1, 80, 0, NOW));
        EXPECT(!sends(denied[i], IPPROTO_ICMP, 1, 80, 0, NOW));
    }
    static const uint32_t open[] = {OUTSIDE, 0x01010101, 0x7effffff, 0x80000000, 0xa9fd0001, 0xa9ff0001, 0xdfffffff};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        EXPECT(sends(open[i], IPPROTO_TCP, 1, 80, SYN, NOW));
        EXPECT(sends(open[i], IPPROTO_UDP, 1, 80, 0, NOW));
        EXPECT(sends(open[i], IPPROTO_ICMP, 1, 80, 0, NOW));
        EXPECT(!sends(open[i], IPPROTO_SCTP, 1, 80, 0, NOW));
    }
}

static void names(void) {
    begin();
    EXPECT(sends(NAME_SERVER, IPPROTO_UDP, 1, 53, 0, NOW));
    EXPECT(!sends(NAME_SERVER, IPPROTO_UDP, 1, 54, 0, NOW));
    EXPECT(!sends(NAME_SERVER, IPPROTO_TCP, 1, 53, SYN, NOW));
}

static void forms(void) {
    begin();
    EXPECT(!filter_from_guest(&filter, frame, 13, NOW));
    make(GUEST_ADDRESS, OUTSIDE, IPPROTO_UDP, 1, 2, 0);
    EXPECT(!filter_from_guest(&filter, frame, 33, NOW)); /* shorter than it says */
    put(12, 0x86dd, 2);
    EXPECT(!filter_from_guest(&filter, frame, FRAME, NOW)); /* IPv6 */
    put(12, 0x8100, 2);
    EXPECT(!filter_from_guest(&filter, frame, FRAME, NOW)); /* with a tag */
    put(12, 0x0806, 2);
    EXPECT(filter_from_guest(&filter, frame, FRAME, NOW)); /* ARP */
    make(OUTSIDE, OUTSIDE, IPPROTO_UDP, 1, 2, 0);
    EXPECT(!filter_from_guest(&filter, frame, FRAME, NOW)); /* in another's name */
    static const uint16_t fragments[] = {0x2000, 1, 0x1fff};
    for (int i = 0; i < 3; i++) {
        make(GUEST_ADDRESS, OUTSIDE, IPPROTO_UDP, 1, 2, 0);
        put(20, fragments[i], 2);
        EXPECT(!filter_from_guest(&filter, frame, FRAME, NOW));
    }
    make(GUEST_ADDRESS, OUTSIDE, IPPROTO_UDP, 1, 2, 0);
    put(20, 0x4000, 2);
    EXPECT(filter_from_guest(&filter, frame, FRAME, NOW)); /* that must not be cut */
}

static void answers(void) {
    begin();
    static const uint32_t askers[] = {GATEWAY_ADDRESS, HOST};
    for (int i = 0; i < 2; i++) {
        EXPECT(!sends(askers[i], IPPROTO_UDP, 53, 4000, 0, NOW));
        hears(askers[i], IPPROTO_UDP, 4000, 53, 0, NOW);
        EXPECT(sends(askers[i], IPPROTO_UDP, 53, 4000, 0, NOW));
        EXPECT(((uint32_t)frame[30] << 24 | frame[31] << 16 | frame[32] << 8 | frame[33]) == askers[i]); /* as it was */
        EXPECT(!sends(askers[i], IPPROTO_UDP, 53, 4001, 0, NOW));
        EXPECT(!sends(askers[i], IPPROTO_UDP, 54, 4000, 0, NOW));
        EXPECT(!sends(askers[i], IPPROTO_TCP, 53, 4000, SYN, NOW));
        EXPECT(!sends(askers[i], IPPROTO_UDP, 53, 4000, 0, NOW + 180000));

        hears(askers[i], IPPROTO_TCP, 4000, 80, SYN, NOW);
        EXPECT(!sends(askers[i], IPPROTO_TCP, 80, 4000, SYN, NOW)); /* no answer, but a new connection */
        EXPECT(sends(askers[i], IPPROTO_TCP, 80, 4000, SYN_ACK, NOW));
        EXPECT(!sends(askers[i], IPPROTO_TCP, 80, 4000, SYN_ACK, NOW)); /* once */
        EXPECT(sends(askers[i], IPPROTO_TCP, 80, 4000, ACK, NOW));
    }
    /* A refusal is no question: a guest that provokes one must not get in by it. */
    hears(HOST, IPPROTO_TCP, 22, 80, 4, NOW);
    hears(HOST, IPPROTO_TCP, 22, 80, SYN_ACK, NOW);
    EXPECT(!sends(HOST, IPPROTO_TCP, 80, 22, SYN_ACK, NOW));
}

/* What a guest can bring about by itself: answers to what it sends outside, refusals, names. None of it is use. */
static void use(void) {
    enum { RST = 4, RST_ACK = 20 };
    static const uint32_t host[] = {GATEWAY_ADDRESS, HOST};
    begin();
    for (int i = 0; i < 2; i++) {
        EXPECT(hears(host[i], IPPROTO_TCP, 4000, 80, SYN, NOW));
        EXPECT(hears(host[i], IPPROTO_TCP, 4000, 80, ACK, NOW));
        EXPECT(hears(host[i], IPPROTO_UDP, 4000, 53, 0, NOW));
        EXPECT(!hears(host[i], IPPROTO_TCP, 4000, 80, RST, NOW));
        EXPECT(!hears(host[i], IPPROTO_TCP, 4000, 80, RST_ACK, NOW));
        EXPECT(!hears(host[i], IPPROTO_ICMP, 4000, 80, 0, NOW));
    }
    EXPECT(hears(OUTSIDE, IPPROTO_TCP, 4000, 80, SYN, NOW));
    EXPECT(!hears(OUTSIDE, IPPROTO_TCP, 443, 80, SYN_ACK, NOW));
    EXPECT(!hears(OUTSIDE, IPPROTO_TCP, 443, 80, ACK, NOW));
    EXPECT(!hears(OUTSIDE, IPPROTO_UDP, 443, 80, 0, NOW));
    EXPECT(!hears(NAME_SERVER, IPPROTO_UDP, 53, 80, 0, NOW));
    put(12, 0x0806, 2);
    EXPECT(!filter_to_guest(&filter, frame, FRAME, NOW));
}

static uint32_t sum(const uint8_t *bytes, size_t length, uint32_t start) {
    for (size_t i = 0; i < length; i += 2) start += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (start >> 16) start = (start & 0xffff) + (start >> 16);
    return start;
}

static void handshake(void) {
    uint8_t answer[ACKNOWLEDGEMENT];
    begin();
    hears(GATEWAY_ADDRESS, IPPROTO_TCP, 4000, 80, SYN, NOW);
    EXPECT(sends(GATEWAY_ADDRESS, IPPROTO_TCP, 80, 4000, SYN_ACK, NOW));
    put(38, 0xfffffffe, 4);
    put(42, 77, 4);
    EXPECT(filter_acknowledges(frame, FRAME, answer));
    EXPECT(sum(answer + 14, 20, 0) == 0xffff && sum(answer + 26, 28, IPPROTO_TCP + 20) == 0xffff);
    static const uint8_t ports[] = {4000 >> 8, 4000 & 255, 0, 80, 0, 0, 0, 77, 0xff, 0xff, 0xff, 0xff};
    EXPECT(memcmp(answer + 34, ports, sizeof ports) == 0);
    make(GUEST_ADDRESS, OUTSIDE, IPPROTO_TCP, 80, 4000, SYN);
    EXPECT(!filter_acknowledges(frame, FRAME, answer));
}

/* Of any frames of a guest, those that pass are ARP, or go in its own name to an address that is not denied. */
static void anything(void) {
    begin();
    for (long i = 0; i < 300000; i++) {
        uint8_t *bytes = malloc(FRAME); /* of the exact size, for the sanitizer */
        size_t length = (size_t)(rand() % (FRAME + 1));
        bytes = realloc(bytes, length == 0 ? 1 : length);
        for (size_t k = 0; k < length; k++) bytes[k] = (uint8_t)(rand() >> 7);
        if (length > 34 && i % 4 != 0) {
            make(GUEST_ADDRESS, (uint32_t)rand() * 2, i % 3 == 0 ? IPPROTO_TCP : IPPROTO_UDP, 1, 2, rand() & 255);
            memcpy(bytes, frame, 34);
            if (i % 5 == 0) bytes[30] = (uint8_t[]){127, 0, 224, 169, 10}[i % 25 / 5];
        }
        uint8_t answer[ACKNOWLEDGEMENT];
        if (filter_from_guest(&filter, bytes, length, NOW)) {
            bool arp = bytes[12] == 8 && bytes[13] == 6, ip = bytes[12] == 8 && bytes[13] == 0;
            size_t flags = ip ? 14 + (size_t)(bytes[14] & 15) * 4 + 13 : 0;
            bool begins_nothing = ip && bytes[23] == IPPROTO_TCP && flags < length && (bytes[flags] & SYN) == 0;
            EXPECT(arp || (ip && (begins_nothing || (bytes[30] != 127 && bytes[30] != 0 && bytes[30] < 224))));
            filter_acknowledges(bytes, length, answer);
        }
        filter_to_guest(&other, bytes, length, NOW); /* not asked, lest it open anything for the next */
        free(bytes);
    }
}

int main(void) {
    addresses();
    names();
    forms();
    answers();
    use();
    handshake();
    srand(1);
    anything();
    return 0;
}
