#include "process/limits.h"

#include <errno.h>
#include <sys/resource.h>

#include "process/report.h"
#include "sys/raw.h"

static long set(uint32_t resource, struct rlimit wanted) { return raw(SYS_prlimit64, 0, resource, &wanted, 0); }

void limits_set(const struct exec_request *command) {
    /* The agent's own limit is higher, for its pipes. */
    set(RLIMIT_NOFILE, (struct rlimit){.rlim_cur = 1024, .rlim_max = 524288});
    for (uint32_t i = 0; i < command->limit_count; i++) {
        const struct limit *limit = &command->limits[i];
        long done = -EINVAL;
        if (limit->resource < RLIM_NLIMITS) {
            done = set(limit->resource, (struct rlimit){.rlim_cur = limit->soft, .rlim_max = limit->hard});
        }
        if (done == 0) continue;
        char number[] = {(char)('0' + limit->resource / 10 % 10), (char)('0' + limit->resource % 10), '\0'};
        const char *name = limit->resource >= RLIM_NLIMITS ? "that the guest does not know" : number;
        child_give_up(BAD_LIMIT, (int)-done, "The limit of resource ", name, " cannot be set");
    }
}
