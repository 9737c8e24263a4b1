#include "forwarder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "confine.h"
#include "handing.h"
#include "relay.h"
#include "streams.h"
#include "wire/bytes.h"
#include "wire/frame.h"

/* What completes any frame that an earlier host had begun. */
enum { ZEROS = GUEST_PAYLOAD_MAX + GUEST_FRAME_SEAL, NONCE = 8, ACKNOWLEDGED = GUEST_FRAME_HEADER + NONCE + GUEST_FRAME_SEAL };

/* Room to be sent for a frame of each connection's turn. */
enum { OUT = 256 * 1024, IN = 2 * GUEST_FRAME_MAX, NOTE_EVERY_MS = 100 };

enum { ORDERS, CHANNEL, LISTENERS, CLIENTS = LISTENERS + FORWARDED_PORTS, WATCHED = CLIENTS + STREAMS };

static int orders, traffic, channel = -1;
static int listeners[FORWARDED_PORTS];
static uint16_t guest_ports[FORWARDED_PORTS];
static uint8_t out[OUT], in[IN], awaited[ACKNOWLEDGED], nonce[NONCE];
static size_t out_length, in_length;
static bool acknowledged;
static int64_t noted_ms;

/* Its end is the guard's to tell of: the VM ends too. */
__attribute__((noreturn)) static void end(void) { _exit(1); }

bool channel_has_room(uint32_t payload) {
    return acknowledged && OUT - out_length >= GUEST_FRAME_HEADER + payload + GUEST_FRAME_SEAL;
}

void channel_send(uint16_t type, uint32_t stream, uint32_t request, const uint8_t *payload, uint32_t length) {
    out_length += guest_frame_write(out + out_length, type, stream, request, payload, length);
}

static void note_use(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
    if (now - noted_ms < NOTE_EVERY_MS) return;
    noted_ms = now;
    uint8_t bytes[TRAFFIC_LENGTH];
    for (int i = 0; i < TRAFFIC_LENGTH; i++) bytes[i] = (uint8_t)(now >> 8 * (TRAFFIC_LENGTH - 1 - i));
    ssize_t written = pwrite(traffic, bytes, sizeof bytes, 0);
    (void)written;
}

/* The acknowledgement cannot be forged, and may stand in the middle of an old frame. */
static void open_channel(int fd) {
    channel = fd;
    memset(out, 0, ZEROS);
    out_length = ZEROS;
    guest_frame_write(awaited, RESET_ACK, 0, 0, nonce, NONCE);
    channel_send(RESET, 0, 0, nonce, NONCE);
}

static void seek_acknowledgement(void) {
    uint8_t *found = memmem(in, in_length, awaited, ACKNOWLEDGED);
    size_t spent = in_length < ACKNOWLEDGED ? 0 : in_length - ACKNOWLEDGED + 1;
    if (found != NULL) spent = (size_t)(found - in) + ACKNOWLEDGED;
    acknowledged = found != NULL;
    in_length -= spent;
    memmove(in, in + spent, in_length);
}

static void hear_frames(void) {
    size_t at = 0;
    for (;;) {
        struct guest_frame frame;
        long length = guest_frame_parse(in + at, in_length - at, &frame);
        if (length == 0) break;
        if (length < 0 || !streams_hear(&frame)) end();
        at += (size_t)length;
    }
    in_length -= at;
    memmove(in, in + at, in_length);
}

/* When the guest's side has ended, the guard is about to end the forwarder, which must not be the first. */
static void leave_channel(void) {
    close(channel);
    channel = -1;
}

static void read_channel(void) {
    ssize_t n = read(channel, in + in_length, sizeof in - in_length);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        leave_channel();
        return;
    }
    in_length += (size_t)n;
    if (!acknowledged) seek_acknowledgement();
    if (acknowledged) hear_frames();
}

static void write_channel(void) {
    if (channel < 0 || out_length == 0) return;
    ssize_t n = write(channel, out, out_length);
    if (n < 0 && errno != EAGAIN && errno != EINTR) leave_channel();
    if (n <= 0) return;
    out_length -= (size_t)n;
    memmove(out, out + n, out_length);
}

static void obey(const struct forwarder_message *message, int fd) {
    if (message->order == FORWARD_CHANNEL && fd >= 0 && channel < 0) {
        open_channel(fd);
    } else if (message->id >= FORWARDED_PORTS) {
        end();
    } else if (message->order == FORWARD_LISTENER && fd >= 0) {
        listeners[message->id] = fd;
        guest_ports[message->id] = (uint16_t)message->guest_port;
    } else if (message->order == FORWARD_NO_MORE) {
        close(listeners[message->id]);
        listeners[message->id] = -1;
    }
    if (write(orders, &message->number, sizeof message->number) != sizeof message->number) end();
}

static void hear_guard(void) {
    struct forwarder_message message;
    int fd;
    if (!take_over(orders, &message, sizeof message, &fd)) end();
    obey(&message, fd);
}

static void take_client(int listener) {
    int client = accept4(listeners[listener], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    int yes = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    streams_add(client, guest_ports[listener]);
    note_use();
}

static void wait_for_events(struct pollfd *events) {
    events[ORDERS] = (struct pollfd){.fd = orders, .events = POLLIN};
    events[CHANNEL] = (struct pollfd){.fd = channel, .events = (short)(POLLIN | (out_length > 0 ? POLLOUT : 0))};
    bool room = streams_have_room();
    for (int i = 0; i < FORWARDED_PORTS; i++) {
        events[LISTENERS + i] = (struct pollfd){.fd = room ? listeners[i] : -1, .events = POLLIN};
    }
    streams_watch(events + CLIENTS);
    while (poll(events, WATCHED, -1) < 0 && errno == EINTR) continue;
}

void forwarder(int the_orders, int the_traffic) {
    static struct pollfd events[WATCHED];
    orders = the_orders;
    traffic = the_traffic;
    for (int i = 0; i < FORWARDED_PORTS; i++) listeners[i] = -1;
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce || !confine_to_forwarding()) end();
    for (;;) {
        wait_for_events(events);
        if (events[ORDERS].revents != 0) hear_guard();
        if (channel >= 0 && channel == events[CHANNEL].fd && (events[CHANNEL].revents & ~POLLOUT) != 0) read_channel();
        if (streams_handle(events + CLIENTS)) note_use();
        for (int i = 0; i < FORWARDED_PORTS; i++) {
            bool same = events[LISTENERS + i].fd == listeners[i];
            if (same && listeners[i] >= 0 && events[LISTENERS + i].revents != 0 && streams_have_room()) take_client(i);
        }
        if (acknowledged) streams_pump();
        write_channel();
    }
}
