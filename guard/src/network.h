/* The guest's network: passt, and the relay between it and the program. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "capture.h"
#include "options.h"

struct network {
    pid_t passt;
    pid_t relay;
    int passt_fd; /* pidfds; -1: there is no network */
    int relay_fd;
    int program_end; /* for the program; -1: there is no network */
    int ready;       /* a byte comes when it answers */
    int log;         /* read end, non-blocking: what both say */
};

/* Starts both, where the command line names a network; what is noted of its use is in DIR/traffic. Ends the guard with a
 * sentence on failure. */
struct network network_start(const struct options *options, int directory);

/* Waits until it answers; false if it does not, and its log says why. */
bool network_await(const struct network *network);

/* Begins DIR/network.log. */
struct capture network_log_open(const struct options *options, int directory);

/* Writes down what is in the log's pipe: for a network that did not come up. */
void network_log_keep(const struct network *network, const struct options *options, int directory);

/* Ends both and waits for it. */
void network_end(struct network *network);
