#include "sys/clock.h"

uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int64_t now_ms(void) { return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000); }
