#include "limits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "spawn.h"

void limits_set(const struct exec_request *command) {
    /* The agent's own limit is higher, for its pipes. */
    struct rlimit files = {.rlim_cur = 1024, .rlim_max = 524288};
    setrlimit(RLIMIT_NOFILE, &files);
    for (uint32_t i = 0; i < command->limit_count; i++) {
        const struct limit *limit = &command->limits[i];
        struct rlimit wanted = {.rlim_cur = limit->soft, .rlim_max = limit->hard};
        errno = EINVAL;
        if (limit->resource >= RLIM_NLIMITS || setrlimit((int)limit->resource, &wanted) != 0) {
            spawn_give_up(BAD_LIMIT, "The limit of resource %u cannot be set: %s.", limit->resource, strerror(errno));
        }
    }
}
