#include "territory.h"

#include "broker.h"
#include "group.h"
#include "wall.h"

/* What its broker opens for the program, with no more right than the program gets: a descriptor keeps the rights of its opener. */
static void allow_grants(const struct wall *wall, const struct grants *grants) {
    if (grants->program != NULL) wall_allow_beside(wall, grants->program);
    wall_allow(wall, "/dev/null", WALL_WRITES);
    wall_allow(wall, "/dev/urandom", WALL_READS);
    for (int i = 0; i < grants->count; i++) {
        const struct grant *grant = &grants->list[i];
        wall_allow(wall, grant->path, grant->right == TO_WRITE || grants_device(grant) ? WALL_WRITES : WALL_READS);
    }
    if (grants->layers != NULL) wall_allow(wall, grants->layers, WALL_WRITES);
    if (grants->sockets != NULL) wall_allow_around(wall, grants->sockets, WALL_MAKE_SOCKET | WALL_REMOVE_FILE);
}

void territory_enter(const struct options *options, pid_t program) {
    enum { OWN = WALL_READ_FILE | WALL_WRITE_FILE | WALL_TRUNCATE | WALL_MAKE_FILE | WALL_REMOVE_FILE };
    struct wall wall = wall_begin(false);
    if (wall.rules < 0) return;
    wall_allow_system(&wall);
    wall_allow(&wall, options->directory, OWN);
    allow_grants(&wall, &options->jail.grants);
    if (options->reserve.path != NULL) wall_allow(&wall, options->reserve.path, WALL_WRITE_FILE);
    for (int i = 0; i < options->listen_count; i++) wall_allow_around(&wall, options->listen[i], WALL_REMOVE_FILE);
    if (options->ports != NULL) wall_allow_around(&wall, options->ports, WALL_REMOVE_FILE);
    group_allow(&wall);
    broker_enter(&wall, program);
    wall_enter(&wall);
    wall_close(&wall);
}
