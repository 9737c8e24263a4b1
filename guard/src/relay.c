#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"
#include "filter.h"
#include "local_addresses.h"
#include "wall.h"

enum { PREFIX = 4, BUFFER = 4 * (PREFIX + FRAME_MAX) };

/* Kept free for what the relay itself says to the guest. */
enum { OWN_FRAME = PREFIX + ACKNOWLEDGEMENT, RESERVE = 256 * OWN_FRAME };

/* How exactly it is noted when a published port was used. */
enum { NOTE_EVERY_MS = 100 };

/* One way: [0, sent) is gone, [sent, judged) may go on, [judged, filled) has been read. */
struct way {
    int from;
    int to;
    size_t sent;
    size_t judged;
    size_t filled;
    uint8_t bytes[BUFFER + RESERVE];
};

enum { GUEST, NETWORK, WAYS };

static struct way ways[WAYS];
static struct filter filter;
static int traffic_file;
static int64_t traffic_noted_ms;

__attribute__((noreturn)) static void end(const char *why) {
    dprintf(STDERR_FILENO, "relay: %s\n", why);
    _exit(1);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Between what may go on and what has been read in part. Without room it is lost, as a frame may be. */
static void acknowledge(const uint8_t *frame, size_t length) {
    struct way *way = &ways[NETWORK];
    uint8_t own[OWN_FRAME] = {0, 0, 0, ACKNOWLEDGEMENT};
    if (way->filled + OWN_FRAME > sizeof way->bytes || !filter_acknowledges(frame, length, own + PREFIX)) return;
    memmove(way->bytes + way->judged + OWN_FRAME, way->bytes + way->judged, way->filled - way->judged);
    memcpy(way->bytes + way->judged, own, OWN_FRAME);
    way->judged += OWN_FRAME;
    way->filled += OWN_FRAME;
}

/* A full disk makes a port look less used than it is, which is no reason to end a VM. */
static void note_use(int64_t now) {
    if (now - traffic_noted_ms < NOTE_EVERY_MS) return;
    traffic_noted_ms = now;
    uint8_t bytes[TRAFFIC_LENGTH];
    for (int i = 0; i < TRAFFIC_LENGTH; i++) bytes[i] = (uint8_t)(now >> 8 * (TRAFFIC_LENGTH - 1 - i));
    ssize_t written = pwrite(traffic_file, bytes, sizeof bytes, 0);
    (void)written;
}

static bool may_pass(int from, uint8_t *frame, size_t length) {
    if (from == GUEST) {
        if (!filter_from_guest(&filter, frame, length, now_ms())) return false;
        acknowledge(frame, length);
        return true;
    }
    int64_t now = now_ms();
    if (filter_to_guest(&filter, frame, length, now)) note_use(now);
    return true;
}

/* Those that may not pass are overwritten by what follows them. */
static void judge(int from) {
    struct way *way = &ways[from];
    size_t at = way->judged;
    while (way->filled - at >= PREFIX) {
        uint8_t *prefix = way->bytes + at;
        size_t length = (size_t)prefix[0] << 24 | (size_t)prefix[1] << 16 | (size_t)prefix[2] << 8 | prefix[3];
        if (length > FRAME_MAX) end("a frame is too long");
        size_t whole = PREFIX + length;
        if (way->filled - at < whole) break;
        if (may_pass(from, prefix + PREFIX, length)) {
            if (at != way->judged) memmove(way->bytes + way->judged, prefix, whole);
            way->judged += whole;
        }
        at += whole;
    }
    memmove(way->bytes + way->judged, way->bytes + at, way->filled - at);
    way->filled -= at - way->judged;
}

static bool is_empty(const struct way *way) { return way->sent == way->judged; }

/* Only into an empty buffer, so that a slow reader stops its writer, and a frame of any length has room. */
static bool take(int from) {
    struct way *way = &ways[from];
    memmove(way->bytes, way->bytes + way->judged, way->filled - way->judged);
    way->filled -= way->judged;
    way->sent = way->judged = 0;
    ssize_t n = read(way->from, way->bytes + way->filled, BUFFER - way->filled);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    way->filled += (size_t)n;
    judge(from);
    return n > 0;
}

static bool give(struct way *way) {
    ssize_t n = write(way->to, way->bytes + way->sent, way->judged - way->sent);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    way->sent += (size_t)n;
    return true;
}

/* passt says nothing when it is ready, but it answers this only then. It is also how passt learns whom it speaks to: a
 * guest that only waits for connections says nothing by itself. */
static void ask_for_the_gateway(int network, const uint8_t *mac) {
    enum { FROM = PREFIX + 6, SENDER = PREFIX + 22, MAC = 6 };
    uint8_t question[] = {
        0, 0, 0, 42,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 8, 6, /* to all; ARP */
        0, 1, 8, 0, 6, 4, 0, 1,                                      /* Ethernet, IPv4, a question */
        0, 0, 0, 0, 0, 0, GUEST_ADDRESS >> 24, GUEST_ADDRESS >> 16 & 255, GUEST_ADDRESS >> 8 & 255, GUEST_ADDRESS & 255,
        0, 0, 0, 0, 0, 0, GATEWAY_ADDRESS >> 24, GATEWAY_ADDRESS >> 16 & 255, GATEWAY_ADDRESS >> 8 & 255,
        GATEWAY_ADDRESS & 255,
    };
    memcpy(question + FROM, mac, MAC);
    memcpy(question + SENDER, mac, MAC);
    if (write(network, question, sizeof question) != sizeof question) end("the network does not take a frame");
}

/* The end of the network is the end of this process, by which the guard learns of it. Of the guest's end the guard
 * learns by itself, and ends this process, which must not look as if it had been the first to go. */
__attribute__((noreturn)) static void side_is_gone(int side) {
    if (side == NETWORK) end("the network is gone");
    for (;;) poll(NULL, 0, -1);
}

static void relay_one_way(int from, const struct pollfd *in) {
    struct way *way = &ways[from];
    if (in->revents != 0 && !take(from)) side_is_gone(from);
    if (!is_empty(way) && !give(way)) side_is_gone(from == GUEST ? NETWORK : GUEST);
}

void relay(int guest, int network, int ready, int traffic, const uint8_t *mac) {
    traffic_file = traffic;
    struct local_addresses addresses;
    if (!local_addresses_open(&addresses) || !local_addresses_read(&addresses, &filter)) {
        end("the host's addresses cannot be read");
    }
    wall_around_nothing();
    if (fcntl(guest, F_SETFL, O_NONBLOCK) != 0 || fcntl(network, F_SETFL, O_NONBLOCK) != 0 || !confine_to_relaying()) {
        end("it cannot be confined");
    }
    ways[GUEST].from = ways[NETWORK].to = guest;
    ways[GUEST].to = ways[NETWORK].from = network;
    ask_for_the_gateway(network, mac);
    for (bool answered = false;;) {
        struct pollfd events[] = {
            {.fd = addresses.changes, .events = POLLIN},
            /* Until the network is there, its first frame is the answer to us, and the guest's frames wait. */
            {.fd = answered && is_empty(&ways[GUEST]) ? guest : -1, .events = POLLIN},
            {.fd = is_empty(&ways[GUEST]) ? -1 : network, .events = POLLOUT},
            {.fd = is_empty(&ways[NETWORK]) ? network : -1, .events = POLLIN},
            {.fd = is_empty(&ways[NETWORK]) ? -1 : guest, .events = POLLOUT},
        };
        if (poll(events, sizeof events / sizeof *events, -1) < 0) continue; /* only EINTR and ENOMEM are possible */
        /* First, so that no packet is judged by addresses of before. */
        if (events[0].revents != 0 && !local_addresses_read(&addresses, &filter)) end("the host's addresses are lost");
        relay_one_way(GUEST, &events[1]);
        relay_one_way(NETWORK, &events[3]);
        if (!answered && ways[NETWORK].judged > 0) {
            answered = true;
            if (write(ready, "", 1) != 1) end("the guard waits no more for the network");
        }
    }
}
