/* Published TCP ports that lead through the guest channel: what DIR/ports wants, and the two children that do it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "forwarder.h"
#include "options.h"

struct published {
    bool wanted; /* by the file that is being read */
    bool there;
    bool handed; /* to the forwarder, which has it or is about to */
    uint32_t address; /* in the order of the network, as the port */
    uint16_t asked;   /* the port of the host that was asked for, 0 for any */
    uint16_t port;    /* the one that it has */
    uint16_t guest_port;
    int error; /* why it is not there */
};

struct ports {
    const char *channel; /* the socket of the guest's port; NULL: no ports can be published */
    pid_t forwarder;
    int forwarder_fd; /* a pidfd, as the next; -1 without */
    pid_t binder;
    int binder_fd;
    int orders;
    int requests;
    bool connected;
    uint32_t number; /* of what was asked last */
    bool late;       /* one of them has not answered what DIR/ports says now */
    struct published list[FORWARDED_PORTS];
};

/* Starts the children, if --ports asks for them. False with errno if it cannot; ports_end is to be called then too. */
bool ports_start(struct ports *ports, const struct options *options, int directory);

/* Does what DIR/ports says, and says in DIR/ports.answer what came of it. */
void ports_hear(struct ports *ports, int directory);

/* Kills both, and waits for their end: then the ports are free. */
void ports_end(struct ports *ports);
