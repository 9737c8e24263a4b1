#include "files/trail.h"

#include <string.h>

bool trail_push(struct trail *trail, const char *part) {
    size_t slash = trail->length > 0, length = strlen(part);
    if (trail->depth == ENTRY_DEPTH_MAX || trail->length + slash + length > ENTRY_NAME_MAX) return false;
    if (slash) trail->path[trail->length++] = '/';
    memcpy(trail->path + trail->length, part, length + 1);
    trail->length += length;
    trail->depth++;
    return true;
}

void trail_pop(struct trail *trail) {
    const char *slash = memrchr(trail->path, '/', trail->length);
    trail->length = slash == NULL ? 0 : (size_t)(slash - trail->path);
    trail->path[trail->length] = '\0';
    trail->depth--;
}

const char *trail_last(const struct trail *trail) {
    const char *slash = memrchr(trail->path, '/', trail->length);
    return slash == NULL ? trail->path : slash + 1;
}
