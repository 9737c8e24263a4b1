/* The output window of docs/guest-protocol.md in numbers: which bytes of an output are kept, and how many may come. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { WINDOW_MIN = 4096, WINDOW_MAX = 16 * 1024 * 1024 };

/* All are offsets in the output: start <= end, and the others lie between 0 and end. */
struct window {
    uint64_t start;  /* the oldest byte that is kept */
    uint64_t end;    /* one after the latest */
    uint64_t sent;   /* where the host that is attached goes on; not below start while one is */
    uint64_t acked;  /* all before it is the host's for good */
    uint64_t logged; /* where the log goes on */
    bool attached;     /* a host reads */
    bool acknowledged; /* only what was acknowledged may be overwritten */
    bool logging;      /* nothing may be overwritten that was not logged */
};

/* All before it may be overwritten. */
uint64_t window_floor(const struct window *window);

/* How many bytes may come into a memory of `capacity` bytes. */
uint32_t window_room(const struct window *window, uint32_t capacity);

/* So many have come, within the room. */
void window_come(struct window *window, uint32_t capacity, uint32_t length);

/* A host begins to read at the offset, or at the oldest byte if that is later; false beyond the end. */
bool window_attach(struct window *window, uint64_t offset);

/* What a host says to have. It can have no more than it was sent. */
void window_acknowledge(struct window *window, uint64_t offset);

/* No host will want the acknowledged bytes of an output that is complete. */
void window_forget_acknowledged(struct window *window);
