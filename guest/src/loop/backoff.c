#include "loop/backoff.h"

bool backoff_is_due(struct backoff *backoff, uint64_t moved, int64_t now_ms) {
    if (backoff->since != now_ms) *backoff = (struct backoff){.since = now_ms};
    backoff->moved += BACKOFF_TURN + moved;
    return backoff->moved >= BACKOFF_BUSY;
}
