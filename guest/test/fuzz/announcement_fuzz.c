#include "sys/proc_text.h"
#include "vm/announcement.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t numbers[8];
    uint8_t *copy = exact_copy(data, size, 1);
    bool found = announcement_has((char *)copy, size, "SUBSYSTEM=virtio-ports");
    CHECK(!found || memmem(copy, size, "SUBSYSTEM=virtio-ports", 22) != NULL);
    copy[size] = '\0';
    CHECK(proc_numbers((char *)copy, "cpu ", numbers, 8) <= 8);
    CHECK(proc_lines((char *)copy, "cpu") <= size);
    exact_free(copy);
    return 0;
}
