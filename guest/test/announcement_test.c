#include "vm/announcement.h"

#include <string.h>

#include "check.h"

static const char WANTED[] = "SUBSYSTEM=virtio-ports";

/* In memory of exactly this size, so that the sanitizer sees a read beyond the end. */
static bool has(const char *bytes, size_t length) {
    char *exact = malloc(length + 1);
    memcpy(exact + 1, bytes, length);
    bool found = announcement_has(exact + 1, length, WANTED);
    free(exact);
    return found;
}

#define HAS(text) has(text, sizeof text - 1)

static void test_finds_the_variable_wherever_it_stands(void) {
    CHECK(HAS("change@/devices/x/vport1p2\0ACTION=change\0SUBSYSTEM=virtio-ports\0SEQNUM=9\0"));
    CHECK(HAS("SUBSYSTEM=virtio-ports\0"));
    CHECK(HAS("a\0SUBSYSTEM=virtio-ports"));
}

static void test_a_part_of_a_string_is_not_the_variable(void) {
    CHECK(!HAS(""));
    CHECK(!HAS("\0\0\0"));
    CHECK(!HAS("add@/x\0SUBSYSTEM=virtio-ports2\0"));
    CHECK(!HAS("add@/x\0MYSUBSYSTEM=virtio-ports\0"));
    CHECK(!HAS("add@/x\0SUBSYSTEM=virtio-port"));
    CHECK(!HAS("add@/x\0SUBSYSTEM=block\0"));
}

static void test_any_bytes_are_survived(void) {
    static const char alphabet[] = "SUBSYTEM=virto-ps";
    for (check_seed = 1; check_seed <= 20000; check_seed++) {
        uint64_t seed = check_seed;
        char bytes[64];
        size_t length = random_below(&seed, sizeof bytes + 1);
        for (size_t i = 0; i < length; i++) bytes[i] = alphabet[random_below(&seed, sizeof alphabet)];
        size_t place = random_below(&seed, sizeof bytes);
        bool planted = place + sizeof WANTED <= length;
        if (planted) {
            memcpy(bytes + place, WANTED, sizeof WANTED);
            if (place > 0) bytes[place - 1] = '\0';
        }
        CHECK(has(bytes, length) == planted);
    }
}

int main(void) {
    test_finds_the_variable_wherever_it_stands();
    test_a_part_of_a_string_is_not_the_variable();
    test_any_bytes_are_survived();
    puts("announcement: ok");
    return 0;
}
