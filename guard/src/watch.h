/* Waiting for the end of the program, and bringing it about. */
#pragma once

#include "announce.h"
#include "health.h"
#include "network.h"
#include "options.h"
#include "ports.h"
#include "program.h"
#include "records.h"

/* What the guard is told by signals: signalfds. */
struct orders {
    int terminate; /* SIGTERM */
    int limit;     /* SIGUSR1: there is a new DIR/limit */
    int ports;     /* SIGUSR2: there is a new DIR/ports */
};

/* Returns once the program has been reaped. */
struct ending watch(const struct options *options, const struct program *program, const struct network *network,
                    struct ports *ports, struct health *health, struct announcement *announcement, const struct orders *orders);
