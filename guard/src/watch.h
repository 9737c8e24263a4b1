/* Waiting for the end of the program, and bringing it about. */
#pragma once

#include "network.h"
#include "options.h"
#include "program.h"
#include "records.h"

/* Returns once the program has been reaped. `terminations` is a signalfd for SIGTERM. */
struct ending watch(const struct options *options, const struct program *program, const struct network *network,
                    int directory, int terminations);
