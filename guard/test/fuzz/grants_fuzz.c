/* For any name that QEMU asks for, in any spelling, it gets what is granted, with no more right than that. The first byte has
 * the flags. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../../guest/test/fuzz/fuzz.h"
#include "../../src/grants.h"

enum { SEALED = 1, WRITES = 2, CREATES = 4, CUTS = 8 };

static struct grants *all(void) {
    static struct grants grants = {.layers = "/vm", .sockets = "/tmp/c/a", .program = "/opt/q/bin/qemu"};
    if (grants.count == 0) {
        CHECK(grants_add(&grants, "/image", TO_READ) && grants_add(&grants, "/ram", TO_WRITE));
        CHECK(grants_add(&grants, "/memory", TO_COPY));
        CHECK(grants_add(&grants, "/kernel", TO_BEGIN) && grants_add(&grants, "/dev/kvm", TO_BEGIN));
    }
    return &grants;
}

static bool is_layer(const char *name) {
    static const char prefix[] = "/vm/disk.";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
    const char *number = name + sizeof prefix - 1;
    return *number != '\0' && strspn(number, "0123456789") == strlen(number);
}

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names != NULL; names++) {
        if (strcmp(name, *names) == 0) return true;
    }
    return false;
}

static void check_normal(const char *normal) {
    char again[NAME_MAX_BYTES];
    size_t length = strlen(normal);
    CHECK(normal[0] == '/' && normal[length - 1] != '/');
    CHECK(strstr(normal, "//") == NULL && strstr(normal, "/./") == NULL && strstr(normal, "/../") == NULL);
    CHECK(strcmp(normal + (length < 3 ? 0 : length - 3), "/..") != 0);
    CHECK(grants_normal(normal, again, sizeof again) && strcmp(normal, again) == 0);
}

static void check_given(const struct decision *given, int asked, bool sealed) {
    static const char *const readable[] = {"/image", "/ram", "/memory", "/dev/null", "/dev/urandom", NULL};
    static const char *const writable[] = {"/ram", "/dev/null", NULL};
    CHECK((asked & (O_CREAT | O_TRUNC)) == 0);
    CHECK(!sealed || is_layer(given->path) || is_one_of(given->path, readable));
    bool begins = !sealed && strcmp(given->path, "/dev/kvm") == 0;
    CHECK(given->flags == O_RDONLY || is_layer(given->path) || is_one_of(given->path, writable) || begins);
    CHECK(given->flags == O_RDONLY || (asked & O_ACCMODE) != O_RDONLY);
    CHECK(given->layer == is_layer(given->path));
    CHECK(!given->device || strncmp(given->path, "/dev/", 5) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    /* Memory of just this size, so that a byte too many is noticed. */
    char *name = malloc(size), normal[NAME_MAX_BYTES];
    memcpy(name, data + 1, size - 1);
    name[size - 1] = '\0';
    int flags = (data[0] & WRITES ? O_RDWR : O_RDONLY) | (data[0] & CREATES ? O_CREAT : 0) | (data[0] & CUTS ? O_TRUNC : 0);
    if (grants_normal(name, normal, sizeof normal)) {
        check_normal(normal);
        struct decision decision = grants_open(all(), normal, flags, (data[0] & SEALED) != 0);
        if (decision.verdict == GIVEN) check_given(&decision, flags, (data[0] & SEALED) != 0);
    }
    if (grants_socket(all(), name)) CHECK(strncmp(name, "/tmp/c/a.", 9) == 0 && strchr(name + 9, '/') == NULL);
    free(name);
    return 0;
}
