/* A harness is one function, for libFuzzer (`make fuzz`) and for replaying the corpus (`make check`). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy that ends where its allocation ends, but for as many bytes more, so that the sanitizer sees reads beyond. */
static inline uint8_t *exact_copy(const uint8_t *data, size_t size, size_t more) {
    uint8_t *copy = malloc(size + more + 1);
    CHECK(copy != NULL);
    memcpy(copy + 1, data, size);
    memset(copy + 1 + size, 0xee, more);
    return copy + 1;
}

static inline void exact_free(uint8_t *copy) { free(copy - 1); }
