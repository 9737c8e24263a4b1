/* One output of an execution. The pipe itself is the buffer: nothing is read that cannot be sent on, so a slow host
 * slows its own command and costs no memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct output {
    int fd; /* -1: done */
    bool readable;
    bool draining;      /* the process has ended: only `remaining` bytes are still wanted */
    uint32_t remaining;
    uint32_t credit;
    uint64_t offset;
};

/* The process has ended: what is in the pipe now is the rest. Descendants may hold the pipe open and write on; that
 * is not waited for. */
void output_drain(struct output *output);

/* Sends one piece to the port, or drops it if that is NO_PORT; answers whether there may be more to do at once. */
bool output_pump(struct output *output, int port, uint16_t type, uint32_t stream);

void output_close(struct output *output);
