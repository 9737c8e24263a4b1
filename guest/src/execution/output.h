/* One output of an execution: from its pipe or terminal into the window, from there to the host that is attached and
 * to the log. What the window has no room for stays in the pipe, and holds up the process that writes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "loop/edge_state.h"
#include "memory/store.h"
#include "memory/window.h"

struct output {
    int fd; /* -1: all has come */
    struct edge_state edge;
    bool draining;      /* the process has ended: at most `remaining` bytes are still wanted */
    uint32_t remaining;
    bool grow;          /* the last read filled all the memory that there was */
    uint32_t limit;     /* of the memory, as the host wishes */
    uint32_t credit;
    struct window window;
    struct store store;
};

/* The process has ended: what is in the pipe now is the rest. Descendants may hold the pipe open and write on; that
 * is not waited for. */
void output_drain(struct output *output);

/* Reads what there is room for; answers whether there may be more to do at once. If there is no memory for it, `forget` is
 * called, which frees what another execution has kept, until that answers false. */
bool output_fill(struct output *output, bool (*forget)(void));

/* Sends a piece; answers whether there may be more to do at once. */
bool output_send(struct output *output, int port, uint16_t type, uint32_t stream);

/* Whether everything has come, and the host that is attached, if any, and the log have it. */
bool output_is_delivered(const struct output *output);

/* No more will come. */
void output_close(struct output *output);

/* Gives memory back that holds nothing to keep, once all has come. */
void output_trim(struct output *output);

/* The output is forgotten. */
void output_free(struct output *output);
