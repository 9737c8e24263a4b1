/* The command line. */
#pragma once

#include <stdint.h>

#include "group.h"
#include "jail.h"
#include "reserve.h"

/* Grows when a library needs what an older guard does not do, an option for example; runtime.json says it (lib/runtime-manifest.sh). */
enum { GUARD_OPTIONS = 6 };

enum { MAX_LISTEN = 32, MAX_HOLD = 8, MAX_NETWORK = 1024 };

struct options {
    const char *directory;
    const char *listen[MAX_LISTEN];
    int listen_count;
    const char *hold[MAX_HOLD];
    int hold_count;
    const char *network[MAX_NETWORK + 1]; /* passt and its arguments, ends with NULL */
    int network_count;                    /* 0: no network */
    const char *ports;   /* the socket of the guest's port for published ones; NULL: none can be published */
    const char *monitor; /* a directory on the file system of the program's disk; NULL: no monitor is wanted */
    struct reserve reserve;
    const char *own[MAX_HOLD];
    int own_count;
    uint8_t network_mac[6];               /* the guest's */
    int64_t max_duration_ms; /* 0: none */
    int64_t pool_age_ms;     /* 0: none */
    int64_t owner_grace_ms;
    int64_t oom_score;       /* 0: as it is */
    int64_t output_log_bytes; /* 0: no log of the output */
    struct group_wish group;
    struct jail jail;
    char **program; /* program and arguments, ends with NULL */
};

/* Ends the guard with a sentence if the command line is not understood. */
struct options parse_options(char **arguments);
