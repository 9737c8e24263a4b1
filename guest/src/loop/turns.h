/* The agent's end of a program's pipe or terminal, and when the agent looks at it: at its events, or, while it is busy
 * (rest.h), when a rest is over. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "loop/loop.h"
#include "loop/rest.h"

struct turns {
    uint32_t events; /* EPOLLIN or EPOLLOUT */
    enum source source;
    uint32_t execution;
    bool terminal;  /* it holds too little to be left alone */
    bool ready;     /* something may be moved */
    uint64_t moved; /* bytes since nothing more could be */
    struct rest rest;
    int64_t rests_until; /* milliseconds as by now_ms; 0: it does not rest */
};

/* Watches a new one, if there is one. */
void turns_begin(const struct turns *turns, int fd);

/* Whether something may be moved now. */
bool turns_ready(struct turns *turns);

/* Nothing more can be moved for now. */
void turns_wait(struct turns *turns, int fd);

/* Ends a rest: somebody waits. */
void turns_rouse(struct turns *turns, int fd);

/* The end of a rest, in milliseconds as by now_ms. */
int64_t turns_deadline(const struct turns *turns);
