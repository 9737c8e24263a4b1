#include <string.h>

#include "memory/credit.h"
#include "memory/ring.h"
#include "check.h"

static void output_credit_is_capped(void) {
    CHECK(credit_add(0, 10) == 10 && credit_add(CREDIT_MAX - 1, 1) == CREDIT_MAX);
    CHECK(credit_add(CREDIT_MAX, 0xffffffff) == CREDIT_MAX && credit_add(5, 0xffffffff) == CREDIT_MAX);
}

/* A host that obeys is never held up for good, one that does not is cut, and the agent never holds more than the
 * window. */
static void stdin_window_holds(uint64_t seed) {
    struct stdin_window window = {.granted = STDIN_WINDOW};
    uint32_t host = STDIN_WINDOW, held = 0;
    for (int i = 0; i < 5000; i++) {
        if (random_below(&seed, 2) == 0) {
            uint32_t sent = random_below(&seed, 65536) + 1;
            uint32_t taken = stdin_take(&window, sent);
            CHECK(taken <= host && taken == (sent < host ? sent : host));
            host -= taken;
            held += taken;
        } else if (held > 0) {
            uint32_t passed = 1 + random_below(&seed, held);
            stdin_passed_on(&window, passed);
            held -= passed;
        }
        if (stdin_grant_due(&window)) host += stdin_grant(&window);
        CHECK(held <= STDIN_WINDOW && host == window.granted);
        CHECK(window.granted + window.owed + held == STDIN_WINDOW);
        CHECK(host > 0 || held > 0);
    }
}

static void ring_is_a_queue(uint64_t seed) {
    enum { CAPACITY = 37 };
    uint8_t storage[CAPACITY], in = 0, out = 0;
    struct ring ring = {.bytes = storage, .capacity = CAPACITY};
    for (int i = 0; i < 5000; i++) {
        uint8_t piece[CAPACITY];
        uint32_t n = random_below(&seed, (uint32_t)ring_room(&ring) + 1);
        for (uint32_t k = 0; k < n; k++) piece[k] = in++;
        ring_put(&ring, piece, n);
        const uint8_t *bytes;
        size_t together = ring_peek(&ring, &bytes);
        CHECK(together > 0 || ring.length == 0);
        if (together > 0) together = random_below(&seed, (uint32_t)together) + 1;
        for (size_t k = 0; k < together; k++) CHECK(bytes[k] == out++);
        ring_drop(&ring, together);
        CHECK(ring.length <= CAPACITY && (uint8_t)(in - out) == ring.length);
    }
}

int main(void) {
    output_credit_is_capped();
    for (uint64_t seed = 1; seed <= 50; seed++) {
        check_seed = seed;
        stdin_window_holds(seed);
        ring_is_a_queue(seed);
    }
    fprintf(stderr, "flow: ok\n");
    return 0;
}
