/* What the agent knows of its end of a program's pipe or terminal, whose events are edge-triggered: whether something may
 * be moved, and until when the agent backs off (backoff.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "loop/backoff.h"
#include "loop/loop.h"

struct edge_state {
    uint32_t events; /* EPOLLIN or EPOLLOUT */
    enum source source;
    uint32_t execution;
    bool terminal;  /* it holds too little to be left alone */
    bool ready;     /* something may be moved */
    uint64_t moved; /* bytes since nothing more could be */
    struct backoff backoff;
    int64_t backs_off_until; /* milliseconds as by now_ms; 0: it does not */
};

/* Watches a new one, if there is one. */
void edge_begin(const struct edge_state *edge, int fd);

/* Whether something may be moved now. */
bool edge_ready(struct edge_state *edge);

/* Nothing more can be moved for now. */
void edge_wait(struct edge_state *edge, int fd);

/* Ends the back-off, because a peer waits. */
void edge_wake(struct edge_state *edge, int fd);

/* The end of the back-off, in milliseconds as by now_ms; INT64_MAX: none. */
int64_t edge_deadline(const struct edge_state *edge);
