/* The relative path of a walk through a tree: one part is pushed for each level that the walk enters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire/record.h"

struct path_stack {
    char path[ENTRY_NAME_MAX + 1]; /* terminated; empty at the top */
    size_t length;
    int depth;
};

/* False if the path would be longer or deeper than a name may be. */
bool path_stack_push(struct path_stack *stack, const char *part);
void path_stack_pop(struct path_stack *stack);

/* The last part, in the path. */
const char *path_stack_last(const struct path_stack *stack);
