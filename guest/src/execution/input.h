/* The stdin of an execution. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "loop/edge_state.h"
#include "memory/credit.h"
#include "memory/ring.h"

struct input {
    int fd; /* -1: there is none, or no process reads it any more */
    struct edge_state edge;
    bool was_full; /* its pipe, so that what it takes now its reader has taken before */
    bool at_end; /* the host has said STDIN_EOF */
    bool typed_end; /* and a terminal was told */
    uint64_t taken; /* bytes, all in all */
    struct stdin_window window;
    struct ring waiting; /* what the pipe has not taken yet; allocated only while there is something */
};

/* Takes what is within the credit. What a process that has closed its stdin cannot take is dropped and granted again,
 * so that the host's writer does not hang. */
void input_take(struct input *input, const uint8_t *bytes, uint32_t length);

/* The host's stdin has ended: so does the pipe; a terminal is given its end-of-file character. */
void input_end(struct input *input);

/* A new host feeds it: with a fresh credit. */
void input_attach(struct input *input);

/* Writes what the pipe takes. */
void input_pump(struct input *input);

/* No process will read it any more. */
void input_close(struct input *input);
