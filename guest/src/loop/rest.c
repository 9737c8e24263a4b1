#include "loop/rest.h"

bool rest_is_due(struct rest *rest, uint64_t moved, int64_t now_ms) {
    if (rest->since != now_ms) *rest = (struct rest){.since = now_ms};
    rest->moved += REST_TURN + moved;
    return rest->moved >= REST_BUSY;
}
