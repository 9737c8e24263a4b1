#include "memory/window.h"

#include <string.h>

#include "memory/store.h"
#include "wire/bytes.h"
#include "wire/frame_out.h"
#include "check.h"

/* The byte of an output at an offset, so that every copy can be checked. */
static uint8_t byte_at(uint64_t offset) { return (uint8_t)(offset * 2654435761u >> 13); }

static void fill(struct window *w, struct store *store, uint32_t length) {
    struct iovec slices[2];
    uint64_t at = w->end;
    int count = store_slices(store, w->end, length, slices);
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < slices[i].iov_len; k++) ((uint8_t *)slices[i].iov_base)[k] = byte_at(at++);
        total += slices[i].iov_len;
    }
    CHECK(total == length);
    window_come(w, store->capacity, length);
}

static void check_bytes(const struct window *w, const struct store *store) {
    struct iovec slices[2];
    uint64_t at = w->start;
    int count = store_slices(store, w->start, (uint32_t)(w->end - w->start), slices);
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < slices[i].iov_len; k++) CHECK(((uint8_t *)slices[i].iov_base)[k] == byte_at(at++));
    }
    CHECK(at == w->end);
}

/* In any order of what hosts and logs do: no byte goes that a reader is owed, and the latest bytes are there. */
static void nothing_owed_is_overwritten(uint64_t seed) {
    struct window w = {.attached = random_below(&seed, 2), .acknowledged = random_below(&seed, 2), .logging = random_below(&seed, 3) == 0};
    struct store store = {0};
    uint32_t limit = 1 + random_below(&seed, 300);
    for (int i = 0; i < 3000; i++) {
        uint64_t floor = window_floor(&w);
        switch (random_below(&seed, 8)) {
            case 0:
            case 1:
            case 2: {
                uint32_t room = window_room(&w, store.capacity);
                CHECK(room <= store.capacity);
                if (room > 0) fill(&w, &store, 1 + random_below(&seed, room));
                CHECK(floor >= w.start || window_floor(&w) >= floor);
                if (w.attached) CHECK(w.sent >= w.start);
                if (w.acknowledged) CHECK(w.acked >= w.start);
                if (w.logging) CHECK(w.logged >= w.start);
                break;
            }
            case 3:
                if (w.attached && w.sent < w.end) w.sent += 1 + random_below(&seed, (uint32_t)(w.end - w.sent));
                break;
            case 4: {
                uint64_t before = w.acked;
                window_acknowledge(&w, random_below(&seed, 4) == 0 ? UINT64_MAX : w.acked + random_below(&seed, 100));
                CHECK(w.acked == before || (w.acked > before && w.acked <= w.sent));
                break;
            }
            case 5:
                if (w.logging && w.logged < w.end) w.logged += 1 + random_below(&seed, (uint32_t)(w.end - w.logged));
                break;
            case 6:
                if (random_below(&seed, 2) == 0) {
                    w.attached = false;
                } else {
                    uint64_t wish = random_below(&seed, (uint32_t)w.end + 10);
                    CHECK(window_attach(&w, wish) == (wish <= w.end));
                    if (wish <= w.end) CHECK(w.sent == (wish < w.start ? w.start : wish));
                }
                break;
            default: {
                uint32_t capacity = store.capacity * 2 + 1 < limit ? store.capacity * 2 + 1 : limit;
                CHECK(store_resize(&store, capacity, w.start, w.end));
            }
        }
        CHECK(w.start <= w.end && w.end - w.start <= store.capacity);
        check_bytes(&w, &store);
    }
    store_resize(&store, 0, 0, 0);
}

static void policies(void) {
    struct window plain = {.end = 100, .sent = 40, .attached = true};
    CHECK(window_floor(&plain) == 40 && window_room(&plain, 100) == 40);
    plain.attached = false;
    CHECK(window_floor(&plain) == 100 && window_room(&plain, 100) == 100);
    struct window durable = {.end = 100, .sent = 40, .acked = 30, .acknowledged = true};
    CHECK(window_floor(&durable) == 30 && window_room(&durable, 100) == 30);
    window_acknowledge(&durable, 90);
    CHECK(durable.acked == 40);
    window_acknowledge(&durable, 35);
    CHECK(durable.acked == 40);
    window_forget_acknowledged(&durable);
    CHECK(durable.start == 40);
    struct window logged = {.end = 100, .sent = 90, .logged = 20, .attached = true, .logging = true};
    CHECK(window_floor(&logged) == 20);
    CHECK(!window_attach(&logged, 101) && logged.sent == 90);
}

static void the_budget_is_kept(void) {
    struct store one = {0}, two = {0};
    store_set_budget(100);
    CHECK(store_resize(&one, 60, 0, 0) && !store_resize(&two, 41, 0, 0) && two.bytes == NULL);
    CHECK(store_resize(&two, 40, 0, 0) && store_budget_left() == 0);
    CHECK(store_resize(&one, 10, 5, 10) && store_budget_left() == 50);
    CHECK(store_resize(&one, 0, 0, 0) && store_resize(&two, 0, 0, 0) && store_budget_left() == 100);
}

static void a_piece_is_a_frame(void) {
    struct iovec slices[2] = {{.iov_base = (char[]){'a', 'b'}, .iov_len = 2}, {.iov_base = (char[]){'c'}, .iov_len = 1}};
    uint8_t prefix[8];
    size_t length;
    put64(prefix, 77);
    const uint8_t *bytes = frame_out_make(STDOUT, 5, prefix, sizeof prefix, slices, 2, &length);
    static struct frame_parser parser;
    bool complete;
    CHECK(frame_parse(&parser, bytes, length, &complete) == length && complete);
    CHECK(parser.frame.type == STDOUT && parser.frame.stream == 5 && parser.frame.request == 0 && parser.frame.length == 11);
    CHECK(get64(parser.frame.payload) == 77 && memcmp(parser.frame.payload + 8, "abc", 3) == 0);
}

int main(void) {
    policies();
    the_budget_is_kept();
    a_piece_is_a_frame();
    store_set_budget(UINT64_MAX / 2);
    for (check_seed = 1; check_seed <= 200; check_seed++) nothing_owed_is_overwritten(check_seed);
    puts("window: ok");
    return 0;
}
