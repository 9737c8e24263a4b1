#include "memory/window.h"

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t window_floor(const struct window *window) {
    uint64_t floor = window->end;
    if (window->attached) floor = smaller(floor, window->sent);
    if (window->acknowledged) floor = smaller(floor, window->acked);
    if (window->logging) floor = smaller(floor, window->logged);
    return floor;
}

uint32_t window_room(const struct window *window, uint32_t capacity) {
    uint64_t floor = window_floor(window);
    if (floor < window->start) floor = window->start;
    return capacity - (uint32_t)(window->end - floor);
}

void window_come(struct window *window, uint32_t capacity, uint32_t length) {
    window->end += length;
    if (window->end - window->start > capacity) window->start = window->end - capacity;
}

bool window_attach(struct window *window, uint64_t offset) {
    if (offset > window->end) return false;
    window->attached = true;
    window->sent = offset < window->start ? window->start : offset;
    return true;
}

void window_acknowledge(struct window *window, uint64_t offset) {
    offset = smaller(offset, window->sent);
    if (offset > window->acked) window->acked = offset;
}

void window_forget_acknowledged(struct window *window) {
    uint64_t floor = window->acknowledged ? window_floor(window) : window->start;
    if (floor > window->start) window->start = floor;
}
