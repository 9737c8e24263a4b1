#include "memory/store.h"

#include <stdlib.h>
#include <string.h>

static uint64_t budget_left;

void store_set_budget(uint64_t bytes) { budget_left = bytes; }

uint64_t store_budget_left(void) { return budget_left; }

int store_slices(const struct store *store, uint64_t offset, uint32_t length, struct iovec slices[2]) {
    if (length == 0) return 0;
    uint32_t at = (uint32_t)(offset % store->capacity), first = store->capacity - at;
    if (first > length) first = length;
    slices[0] = (struct iovec){.iov_base = store->bytes + at, .iov_len = first};
    slices[1] = (struct iovec){.iov_base = store->bytes, .iov_len = length - first};
    return first < length ? 2 : 1;
}

static void put(struct store *store, uint64_t offset, const uint8_t *bytes, size_t length) {
    struct iovec slices[2];
    int count = store_slices(store, offset, (uint32_t)length, slices);
    for (int i = 0; i < count; i++) {
        memcpy(slices[i].iov_base, bytes, slices[i].iov_len);
        bytes += slices[i].iov_len;
    }
}

bool store_resize(struct store *store, uint32_t capacity, uint64_t start, uint64_t end) {
    struct store resized = {.capacity = capacity};
    if (capacity > store->capacity && capacity - store->capacity > budget_left) return false;
    if (capacity > 0) {
        resized.bytes = malloc(capacity);
        if (resized.bytes == NULL) return false;
        struct iovec slices[2];
        int count = store_slices(store, start, (uint32_t)(end - start), slices);
        for (int i = 0; i < count; i++) {
            put(&resized, start, slices[i].iov_base, slices[i].iov_len);
            start += slices[i].iov_len;
        }
    }
    budget_left += store->capacity;
    budget_left -= capacity;
    free(store->bytes);
    *store = resized;
    return true;
}
