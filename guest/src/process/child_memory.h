/* The memory that a new child has to itself for as long as it shares the agent's: its stack and a copy of its command, so
 * that neither waits for the other. */
#pragma once

#include "wire/request.h"

struct child_memory {
    struct exec_request command; /* behind its environment there is room for what environment_complete adds */
    char **variables;            /* those of CONFIGURE */
    int ends[4];                 /* what becomes descriptor 0, 1, 2 and 3 */
    int terminal;                /* the number of its terminal; -1: none */
    size_t length;               /* of the mapping */
};

/* NULL if there is no memory. */
struct child_memory *child_memory_make(const struct exec_request *command, char *const *variables);

/* Where the stack of the child begins; it grows downwards. */
static inline void *child_memory_stack(struct child_memory *memory) { return memory; }

/* The child uses it no more. */
void child_memory_free(struct child_memory *memory);
