#include "landlock.h"

#include <stddef.h>

#include "wall.h"

void landlock_confine(const struct grants *grants, const char *program) {
    struct wall wall = wall_begin(true);
    wall_allow_system(&wall);
    wall_allow(&wall, program, WALL_RUNS);
    if (grants->program != NULL) {
        wall_allow(&wall, grants->program, WALL_RUNS);
        wall_allow_beside(&wall, grants->program);
    }
    wall_allow(&wall, "/dev/null", WALL_WRITES);
    wall_allow(&wall, "/dev/urandom", WALL_READS);
    for (int i = 0; i < grants->count; i++) {
        const struct grant *grant = &grants->list[i];
        /* What is to be copied is opened to be written, and mapped privately. */
        bool writes = grant->right == TO_WRITE || grant->right == TO_COPY || grants_device(grant);
        wall_allow(&wall, grant->path, writes ? WALL_WRITES : WALL_READS);
    }
    if (grants->layers != NULL) wall_allow(&wall, grants->layers, WALL_WRITES);
    if (grants->sockets != NULL) wall_allow_around(&wall, grants->sockets, WALL_MAKE_SOCKET | WALL_REMOVE_FILE);
    wall_enter(&wall);
    wall_close(&wall);
}
