/* What the unit tests need: a check that names its place, and random numbers from a seed. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Named when a check fails. */
static uint64_t check_seed;

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s (seed %llu)\n", __FILE__, __LINE__, #condition, \
                    (unsigned long long)check_seed);                                \
            abort();                                                                \
        }                                                                           \
    } while (0)

/* splitmix64 */
static inline uint64_t next_random(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline uint32_t random_below(uint64_t *seed, uint32_t bound) { return (uint32_t)(next_random(seed) % bound); }
