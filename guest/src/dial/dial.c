#include "dial/dial.h"

#include "dial/connection.h"
#include "dial/opening.h"
#include "dial/stream.h"
#include "sys/clock.h"
#include "vm/shutdown.h"
#include "wire/bytes.h"
#include "wire/frame.h"
#include "wire/port.h"

bool dial_is(uint32_t stream) { return (stream & DIAL_ID) != 0; }

int dial_begin(int port, uint32_t request, const struct dial_request *dial, const char **sentence) {
    *sentence = "The VM is shutting down.";
    if (shutdown_begun()) return OUT_OF_RESOURCES;
    *sentence = "There are 256 connections, more are not possible.";
    struct connection *c = connection_add();
    if (c == NULL) return OUT_OF_RESOURCES;
    c->port = port;
    c->request = request;
    c->credit = dial->credit;
    c->window.granted = CONNECTION_WINDOW;
    if (opening_begin(c, dial)) return 0;
    connection_remove(c);
    *sentence = "The agent could not create a process.";
    return OUT_OF_RESOURCES;
}

static struct connection *open_one(int port, uint32_t id) {
    struct connection *c = connection_find(id);
    return c != NULL && c->port == port && c->open && c->close_by == 0 ? c : NULL;
}

void dial_stdin(int port, uint32_t id, const uint8_t *bytes, uint32_t length) {
    struct connection *c = open_one(port, id);
    if (c != NULL) stream_take(c, bytes, length);
}

void dial_stdin_eof(int port, uint32_t id) {
    struct connection *c = open_one(port, id);
    if (c != NULL) c->host_ended = true;
}

void dial_credit(int port, uint32_t id, uint32_t channel, uint32_t bytes) {
    struct connection *c = open_one(port, id);
    if (c != NULL && channel == 1) c->credit = credit_add(c->credit, bytes);
}

static void say(const struct connection *c, uint16_t type, uint8_t *payload, uint32_t length) {
    struct frame frame = {.type = type, .stream = c->id, .length = length, .payload = payload};
    port_send(c->port, &frame, NULL, 0);
}

static void say_exited(const struct connection *c) {
    uint8_t nothing[8] = {0};
    say(c, EXITED, nothing, sizeof nothing);
}

void dial_hang_up(int port, uint32_t id, bool close) {
    struct connection *c = open_one(port, id);
    if (c == NULL) return;
    say_exited(c);
    if (close) {
        connection_close(c);
    } else {
        connection_remove(c);
    }
}

void dials_hang_up(int port) {
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        struct connection *c = connection_at(i);
        if (c != NULL && c->port == port) connection_remove(c);
    }
}

void dial_event(uint32_t id) {
    struct connection *c = connection_find(id);
    if (c != NULL) c->readable = c->writable = true;
}

bool dial_child_ended(pid_t pid) {
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        struct connection *c = connection_at(i);
        if (c == NULL || c->path.pid != pid) continue;
        c->path.pid = 0;
        return true;
    }
    return false;
}

static void start(struct connection *c) {
    uint8_t payload[8];
    put32(payload, 0);
    put32(payload + 4, c->window.granted);
    struct frame started = {
        .type = STARTED, .stream = c->id, .request = c->request, .length = sizeof payload, .payload = payload};
    port_send(c->port, &started, NULL, 0);
    c->open = c->readable = c->writable = true;
}

/* The room for one answer is enough for these three. */
static void say_what_is_due(struct connection *c) {
    uint8_t payload[4];
    if (!port_has_room(c->port)) return;
    put32(payload, stream_grant(c));
    if (get32(payload) > 0) say(c, STDIN_CREDIT, payload, sizeof payload);
    if (!c->guest_ended || c->held != NULL) return;
    if (c->broken) {
        say(c, RESET_BY_GUEST, NULL, 0);
        connection_remove(c);
        return;
    }
    if (!c->said_end) say(c, OUTPUT_EOF, NULL, 0);
    c->said_end = true;
    if (!c->shut) return;
    say_exited(c);
    connection_remove(c);
}

/* Answers whether it is open now. */
static bool open_or_fail(struct connection *c) {
    opening_pump(c);
    if (!opening_has_ended(c) || !port_has_room(c->port)) return false;
    if (c->failure.code != 0) {
        port_failed(c->port, c->request, (int)c->failure.code, c->failure.sentence);
        connection_remove(c);
        return false;
    }
    start(c);
    return true;
}

/* The host has said its last word, and heard the agent's. */
static void finish_closing(struct connection *c) {
    stream_write(c);
    if (c->broken || c->waiting.length == 0 || now_ms() >= c->close_by) connection_remove(c);
}

static bool pump(struct connection *c) {
    if (c->close_by != 0) {
        finish_closing(c);
        return false;
    }
    if (!c->open && !open_or_fail(c)) return false;
    stream_write(c);
    bool more = stream_read(c);
    say_what_is_due(c);
    return more;
}

/* Begins at another connection each time, and sends one piece of each: a flood of one delays the others by its piece. */
bool dials_pump(void) {
    static unsigned turn;
    bool more = false;
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        struct connection *c = connection_at((turn + i) % CONNECTIONS_MAX);
        if (c != NULL) more |= pump(c);
    }
    turn++;
    return more;
}

int64_t dials_deadline(void) {
    int64_t first = INT64_MAX;
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        const struct connection *c = connection_at(i);
        int64_t due = c == NULL ? INT64_MAX : c->close_by != 0 ? c->close_by : opening_deadline(c);
        if (due < first) first = due;
    }
    return first;
}
