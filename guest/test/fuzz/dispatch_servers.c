/* Servers in the guest, and connections to them: they are sockets of ours. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dial/connect.h"
#include "dial/connection.h"
#include "dial/dial.h"
#include "dial/open_path.h"
#include "process/spawn.h"
#include "dispatch_world.h"
#include "fuzz.h"

enum { SERVERS = 16 };

/* The servers' ends of connections; 0: none. */
static int servers[SERVERS];

static int new_server(void) {
    int ends[2], *place = NULL;
    for (int i = 0; i < SERVERS; i++) {
        if (servers[i] == 0) place = &servers[i];
    }
    if (place == NULL) return -1;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    *place = ends[0];
    return ends[1];
}

int connect_begin(uint16_t port, unsigned candidate, bool as_loopback, bool *connected) {
    (void)as_loopback;
    CHECK(candidate < CANDIDATES && port > 0);
    *connected = port % 2 == 0;
    int fd = port % 5 == candidate ? new_server() : -1;
    errno = port % 11 == 0 ? EPERM : ECONNREFUSED;
    return fd;
}

bool connect_ended(int fd, int *error) {
    CHECK(fd > 0);
    *error = now % 3 == 0 ? ECONNREFUSED : 0;
    return now % 2 == 0;
}

bool open_path_begin(const char *path, const char *user, uint32_t patience, struct path_opening *opening) {
    CHECK(path[0] == '/' && strlen(path) <= DIAL_PATH_MAX && strlen(user) < FRAME_PAYLOAD_MAX && patience <= PATIENCE_MAX);
    *opening = (struct path_opening){.channel = new_server()};
    return opening->channel >= 0;
}

bool open_path_ended(int channel, int *fd, struct spawn_failure *failure) {
    *fd = dup(channel);
    *failure = (struct spawn_failure){0};
    return true;
}

void a_server_does(const uint8_t *event) {
    static uint8_t bytes[65536];
    int *server = &servers[event[1] % SERVERS];
    if (*server == 0) return;
    switch (event[0] % 8) {
        case 1:
        case 2: (void)!write(*server, bytes, 1 + event[2] * 257u); break;
        case 3: shutdown(*server, SHUT_WR); break;
        case 5:
            close(*server);
            *server = 0;
            break;
        default: while (read(*server, bytes, sizeof bytes) > 0) continue;
    }
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        if (connection_at(i) != NULL) dial_event(connection_at(i)->id);
    }
}

void end_servers(void) {
    for (int i = 0; i < HOSTS; i++) dials_hang_up(i);
    for (int i = 0; i < SERVERS; i++) {
        if (servers[i] != 0) close(servers[i]);
        servers[i] = 0;
    }
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) CHECK(connection_at(i) == NULL);
}

void check_connections(void) {
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        const struct connection *c = connection_at(i);
        if (c == NULL) continue;
        CHECK(c->window.granted + c->window.owed + c->waiting.length <= CONNECTION_WINDOW && c->credit <= CREDIT_MAX);
        CHECK(c->held == NULL || c->held_length <= CONNECTION_PIECE);
    }
}
