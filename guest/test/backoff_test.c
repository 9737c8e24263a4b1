#include "loop/backoff.h"

#include "check.h"

static void little_is_not_busy(void) {
    struct backoff backoff = {0};
    for (int64_t now = 5; now < 50; now++) CHECK(!backoff_is_due(&backoff, BACKOFF_BUSY - BACKOFF_TURN - 1, now));
}

static void a_block_is_busy(void) {
    struct backoff backoff = {0};
    CHECK(backoff_is_due(&backoff, BACKOFF_BUSY, 5));
    CHECK(backoff_is_due(&backoff, UINT32_MAX, 6));
}

static void many_turns_are_busy_however_little_they_bring(void) {
    struct backoff backoff = {0};
    int turns = 1;
    while (!backoff_is_due(&backoff, 1, 5)) turns++;
    CHECK(turns == BACKOFF_BUSY / BACKOFF_TURN);
    CHECK(!backoff_is_due(&backoff, 1, 6));
}

int main(void) {
    little_is_not_busy();
    a_block_is_busy();
    many_turns_are_busy_however_little_they_bring();
    puts("backoff: ok");
}
