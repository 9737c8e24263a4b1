#include "rest.h"

bool rest_is_due(struct rest *rest, uint64_t came, int64_t now_ms) {
    if (rest->since != now_ms) *rest = (struct rest){.since = now_ms};
    rest->came += REST_TURN + came;
    return rest->came >= REST_BUSY;
}
