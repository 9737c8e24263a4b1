/* The streams that DIAL began: one slot each, from DIAL until the last word on it is said. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dial/open_path.h"
#include "memory/credit.h"
#include "memory/ring.h"

enum { CONNECTIONS_MAX = 256, CONNECTION_WINDOW = 64 * 1024, CONNECTION_PIECE = 16 * 1024 };

struct connection {
    uint32_t id; /* 0: the slot is free */
    int port;
    uint32_t request;         /* for STARTED or FAILED */
    int fd;                   /* -1: none yet */
    bool open;                /* STARTED was said */
    struct path_opening path; /* of one that is opened by its path: pid 0 and channel -1 otherwise, and afterwards */

    /* A TCP port that is being connected to. */
    uint16_t tcp_port; /* 0: it is not */
    bool as_loopback;
    unsigned candidate;
    int error;           /* the last one's */
    int pause;           /* in milliseconds, between tries of all candidates */
    int64_t retry_at;    /* when the candidates are tried again, in milliseconds as by now_ms */
    int64_t patient_until;
    int64_t attempt_ends; /* of an attempt that is under way */

    struct spawn_failure failure; /* why there is no stream, to be said; code 0: none */

    /* To the host. */
    bool readable;
    bool guest_ended; /* no more comes; `said_end` once the host knows */
    bool said_end;
    bool broken; /* the guest has reset it, or takes no more: the host is told once it has read what there is */
    uint32_t credit;
    uint64_t sent;
    uint8_t *held; /* a piece that the port did not take; NULL: none */
    uint32_t held_length;

    /* To the guest. */
    bool writable;
    bool host_ended;
    bool shut; /* the guest has been told that */
    int64_t close_by; /* the host has closed it: until when the guest may take the rest, as by now_ms; 0: it has not */
    struct stdin_window window;
    struct ring waiting; /* what the socket has not taken yet; allocated only while there is something */
};

/* NULL if all slots are taken. */
struct connection *connection_add(void);

/* NULL if there is none of this id. */
struct connection *connection_find(uint32_t id);

/* NULL if the slot is free. */
struct connection *connection_at(unsigned slot);

/* The host has closed it: what came is still given to the guest. */
void connection_close(struct connection *c);

/* Forgets it and closes its socket: with a reset, unless both sides have ended or the guest has all that the host closed it with. */
void connection_remove(struct connection *c);
