#include "files/path_stack.h"

#include <string.h>

bool path_stack_push(struct path_stack *stack, const char *part) {
    size_t slash = stack->length > 0, length = strlen(part);
    if (stack->depth == ENTRY_DEPTH_MAX || stack->length + slash + length > ENTRY_NAME_MAX) return false;
    if (slash) stack->path[stack->length++] = '/';
    memcpy(stack->path + stack->length, part, length + 1);
    stack->length += length;
    stack->depth++;
    return true;
}

void path_stack_pop(struct path_stack *stack) {
    const char *slash = memrchr(stack->path, '/', stack->length);
    stack->length = slash == NULL ? 0 : (size_t)(slash - stack->path);
    stack->path[stack->length] = '\0';
    stack->depth--;
}

const char *path_stack_last(const struct path_stack *stack) {
    const char *slash = memrchr(stack->path, '/', stack->length);
    return slash == NULL ? stack->path : slash + 1;
}
