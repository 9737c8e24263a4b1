/* The memory of an output window: the byte at an offset of the output lies at that offset modulo the capacity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* All zeros is an empty one. */
struct store {
    uint8_t *bytes;
    uint32_t capacity;
};

/* The `length` bytes from the offset on, in up to two pieces; answers how many pieces. */
int store_slices(const struct store *store, uint64_t offset, uint32_t length, struct iovec slices[2]);

/* Changes the capacity, which holds the bytes from start to end; 0 frees all. False if there is no memory, or no
 * budget, for it: then all is as before. */
bool store_resize(struct store *store, uint32_t capacity, uint64_t start, uint64_t end);

/* What all stores together may take. */
void store_set_budget(uint64_t bytes);
uint64_t store_budget_left(void);
