#include "streams.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/bytes.h"
#include "wire/frame.h"

/* The guest may send a window more than the client has taken; a client's turn is a piece. */
enum { WINDOW = 64 * 1024, PIECE = 16 * 1024, VERSION = 2, OFFSET = 8 };

enum stage { FREE, OPENING, OPEN };

struct stream {
    enum stage stage;
    int client; /* -1 once it has gone */
    uint16_t port;
    bool dialed;
    uint32_t request;
    uint32_t id;
    uint32_t credit;  /* the guest takes so many bytes */
    uint64_t offset;  /* of what it sends next */
    uint32_t granted; /* it may send so many bytes */
    uint32_t owed;    /* the client has taken so many that are not granted again */
    uint32_t start;   /* what waits for the client, in the ring */
    uint32_t length;
    bool host_ended;  /* the client writes no more */
    bool told_end;    /* and the guest knows */
    bool guest_ended; /* the guest writes no more */
    bool shut;        /* and the client knows */
    bool exited;      /* the guest's last word */
    bool hang_up;     /* the guest is to be told that the client has gone */
};

static struct stream streams[STREAMS];
static uint8_t rings[STREAMS][WINDOW] __attribute__((aligned(4096)));
static bool greeted;
static uint32_t last_request;
static unsigned turn;

static int index_of(const struct stream *s) { return (int)(s - streams); }

static void release(struct stream *s) {
    if (s->client >= 0) close(s->client);
    madvise(rings[index_of(s)], WINDOW, MADV_DONTNEED);
    *s = (struct stream){.client = -1};
}

/* The client sees a reset, not an end. */
static void reset_client(struct stream *s) {
    if (s->client < 0) return;
    struct linger at_once = {.l_onoff = 1};
    setsockopt(s->client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(s->client);
    s->client = -1;
    s->length = 0;
}

static void client_gone(struct stream *s) {
    reset_client(s);
    s->hang_up = true;
}

bool streams_have_room(void) {
    if (!greeted) return false;
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].stage == FREE) return true;
    }
    return false;
}

void streams_add(int client, uint16_t guest_port) {
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].stage != FREE) continue;
        if (++last_request == 0) last_request = 1;
        streams[i] =
            (struct stream){.stage = OPENING, .client = client, .port = guest_port, .request = last_request, .granted = WINDOW};
        return;
    }
    close(client);
}

/* Closes what is over, once the client has all. */
static void settle(struct stream *s) {
    if (s->client >= 0 && s->guest_ended && s->length == 0 && !s->shut) {
        shutdown(s->client, SHUT_WR);
        s->shut = true;
    }
    if (s->exited && s->length == 0) release(s);
}

static void write_to_client(struct stream *s) {
    while (s->length > 0 && s->client >= 0) {
        uint32_t piece = WINDOW - s->start < s->length ? WINDOW - s->start : s->length;
        ssize_t n = write(s->client, rings[index_of(s)] + s->start, piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            client_gone(s);
            break;
        }
        s->start = (s->start + (uint32_t)n) % WINDOW;
        s->length -= (uint32_t)n;
        s->owed += (uint32_t)n;
    }
    settle(s);
}

static void read_from_client(struct stream *s) {
    uint8_t bytes[PIECE];
    uint32_t most = s->credit < PIECE ? s->credit : PIECE;
    if (most == 0 || !channel_has_room(PIECE)) return;
    ssize_t n = read(s->client, bytes, most);
    if (n < 0) {
        if (errno != EAGAIN && errno != EINTR) client_gone(s);
    } else if (n == 0) {
        s->host_ended = true;
    } else {
        s->credit -= (uint32_t)n;
        channel_send(STDIN, s->id, 0, bytes, (uint32_t)n);
    }
}

static bool reads(const struct stream *s) {
    return s->stage == OPEN && !s->exited && s->client >= 0 && !s->host_ended && s->credit > 0 && channel_has_room(PIECE);
}

void streams_watch(struct pollfd *events) {
    for (int i = 0; i < STREAMS; i++) {
        const struct stream *s = &streams[i];
        short wanted = (short)((reads(s) ? POLLIN : 0) | (s->length > 0 ? POLLOUT : 0));
        events[i] = (struct pollfd){.fd = wanted == 0 || s->stage != OPEN ? -1 : s->client, .events = wanted};
    }
}

bool streams_handle(const struct pollfd *events) {
    bool used = false;
    for (unsigned n = 0; n < STREAMS; n++) {
        unsigned i = (turn + n) % STREAMS;
        struct stream *s = &streams[i];
        if (events[i].fd < 0 || events[i].revents == 0 || s->client != events[i].fd) continue;
        if ((events[i].revents & ~POLLIN) != 0) write_to_client(s);
        if (s->stage == OPEN && s->client >= 0 && (events[i].events & POLLIN) != 0 && (events[i].revents & ~POLLOUT) != 0) {
            read_from_client(s);
            used = true;
        }
    }
    turn++;
    return used;
}

static void dial(struct stream *s) {
    uint8_t payload[24] = {0};
    put32(payload + 4, WINDOW);
    put32(payload + 8, s->port);
    channel_send(DIAL, 0, s->request, payload, sizeof payload);
    s->dialed = true;
}

static void say_what_is_due(struct stream *s) {
    uint8_t payload[8] = {0};
    if (s->stage == OPENING && !s->dialed) dial(s);
    if (s->stage != OPEN || s->exited) return;
    if (s->hang_up) {
        channel_send(HANG_UP, s->id, 0, payload, 4);
        s->hang_up = false;
    } else if (s->client >= 0 && s->host_ended && !s->told_end) {
        channel_send(STDIN_EOF, s->id, 0, NULL, 0);
        s->told_end = true;
    } else if (s->client >= 0 && !s->guest_ended && s->owed >= WINDOW / 4) {
        put32(payload, 1);
        put32(payload + 4, s->owed);
        channel_send(CREDIT, s->id, 0, payload, 8);
        s->granted += s->owed;
        s->owed = 0;
    }
}

void streams_pump(void) {
    for (unsigned n = 0; n < STREAMS; n++) {
        struct stream *s = &streams[(turn + n) % STREAMS];
        if (s->stage == FREE) continue;
        if (!channel_has_room(64)) return;
        say_what_is_due(s);
    }
}

static struct stream *dialed_by(uint32_t request) {
    for (int i = 0; request != 0 && i < STREAMS; i++) {
        if (streams[i].stage == OPENING && streams[i].dialed && streams[i].request == request) return &streams[i];
    }
    return NULL;
}

static struct stream *of_id(uint32_t id) {
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].stage == OPEN && !streams[i].exited && streams[i].id == id) return &streams[i];
    }
    return NULL;
}

static bool hear_hello(const struct guest_frame *frame) {
    if (frame->stream != 0 || frame->length < 4 || get32(frame->payload) != VERSION) return false;
    greeted = true;
    return true;
}

static bool hear_started(const struct guest_frame *frame) {
    struct stream *s = dialed_by(frame->request);
    if (s == NULL || frame->length != 8 || (frame->stream & DIAL_ID) == 0 || of_id(frame->stream) != NULL) return false;
    s->stage = OPEN;
    s->id = frame->stream;
    s->credit = get32(frame->payload + 4);
    return true;
}

static bool hear_failed(const struct guest_frame *frame) {
    struct stream *s = dialed_by(frame->request);
    if (s == NULL) return false;
    reset_client(s);
    release(s);
    return true;
}

static bool hear_bytes(struct stream *s, const struct guest_frame *frame) {
    if (frame->length <= OFFSET || s->guest_ended || get64(frame->payload) != s->offset) return false;
    uint32_t count = frame->length - OFFSET;
    if (count > s->granted) return false;
    s->granted -= count;
    s->offset += count;
    if (s->client < 0) return true;
    /* What was granted and what waits never exceed the ring. */
    uint32_t end = (s->start + s->length) % WINDOW;
    uint32_t first = WINDOW - end < count ? WINDOW - end : count;
    memcpy(rings[index_of(s)] + end, frame->payload + OFFSET, first);
    memcpy(rings[index_of(s)], frame->payload + OFFSET + first, count - first);
    s->length += count;
    write_to_client(s);
    return true;
}

static bool hear_of_stream(struct stream *s, const struct guest_frame *frame) {
    switch (frame->type) {
        case STDOUT: return hear_bytes(s, frame);
        case STDIN_CREDIT:
            if (frame->length != 4 || get32(frame->payload) > UINT32_MAX - s->credit) return false;
            s->credit += get32(frame->payload);
            return true;
        case OUTPUT_EOF:
            if (s->guest_ended) return false;
            s->guest_ended = true;
            settle(s);
            return true;
        case EXITED:
            s->exited = s->guest_ended = true;
            settle(s);
            return true;
        case RESET_BY_GUEST:
            write_to_client(s);
            reset_client(s);
            release(s);
            return true;
        default: return false;
    }
}

bool streams_hear(const struct guest_frame *frame) {
    switch (frame->type) {
        case HELLO: return hear_hello(frame);
        case GOODBYE: return true;
        case STARTED: return hear_started(frame);
        case FAILED: return hear_failed(frame);
        default: {
            struct stream *s = of_id(frame->stream);
            return s != NULL && hear_of_stream(s, frame);
        }
    }
}
