#include "dial/connection.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "loop/loop.h"
#include "sys/clock.h"
#include "wire/frame.h"

enum { SLOT_BITS = 8, TURN_MASK = 0x7fffff, CLOSING_MS = 10000 };
_Static_assert(CONNECTIONS_MAX == 1 << SLOT_BITS, "a slot is a byte of an id");

static struct connection connections[CONNECTIONS_MAX];
static uint32_t turn;

struct connection *connection_at(unsigned slot) { return connections[slot].id == 0 ? NULL : &connections[slot]; }

struct connection *connection_find(uint32_t id) {
    struct connection *c = &connections[id % CONNECTIONS_MAX];
    return id != 0 && c->id == id ? c : NULL;
}

/* An id comes again only when many others were used, lest a late word on one is taken for another. */
struct connection *connection_add(void) {
    for (unsigned slot = 0; slot < CONNECTIONS_MAX; slot++) {
        struct connection *c = &connections[slot];
        if (c->id != 0) continue;
        turn = (turn + 1) & TURN_MASK;
        *c = (struct connection){.id = DIAL_ID | turn << SLOT_BITS | slot, .fd = -1, .path = {.channel = -1}};
        return c;
    }
    return NULL;
}

void connection_close(struct connection *c) { c->close_by = now_ms() + CLOSING_MS; }

void connection_remove(struct connection *c) {
    struct linger at_once = {.l_onoff = 1};
    if (c->fd >= 0) {
        bool in_order = c->close_by != 0 ? c->waiting.length == 0 : c->guest_ended && c->shut;
        if (!in_order) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        loop_close(c->fd);
    }
    if (c->path.channel >= 0) loop_close(c->path.channel);
    if (c->path.pid > 0) kill(c->path.pid, SIGKILL);
    free(c->held);
    free(c->waiting.bytes);
    c->id = 0;
}
