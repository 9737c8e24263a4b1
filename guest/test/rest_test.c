#include "loop/rest.h"

#include "check.h"

static void little_is_not_busy(void) {
    struct rest rest = {0};
    for (int64_t now = 5; now < 50; now++) CHECK(!rest_is_due(&rest, REST_BUSY - REST_TURN - 1, now));
}

static void a_block_is_busy(void) {
    struct rest rest = {0};
    CHECK(rest_is_due(&rest, REST_BUSY, 5));
    CHECK(rest_is_due(&rest, UINT32_MAX, 6));
}

static void many_turns_are_busy_however_little_they_bring(void) {
    struct rest rest = {0};
    int turns = 1;
    while (!rest_is_due(&rest, 1, 5)) turns++;
    CHECK(turns == REST_BUSY / REST_TURN);
    CHECK(!rest_is_due(&rest, 1, 6));
}

int main(void) {
    little_is_not_busy();
    a_block_is_busy();
    many_turns_are_busy_however_little_they_bring();
    puts("rest: ok");
}
