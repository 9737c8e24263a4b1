/* What names QEMU gets, and how: one by one, and random ones. Prints nothing and exits 0 if all hold. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/grants.h"

static void expect(bool good, int line) {
    if (good) return;
    printf("grants_test.c:%d: not as expected\n", line);
    exit(1);
}

#define EXPECT(condition) expect(condition, __LINE__)

static struct grants grants = {.layers = "/vm", .sockets = "/tmp/c/a", .program = "/opt/q/bin/qemu"};

static struct decision asked(const char *name, int flags, bool sealed) {
    char normal[NAME_MAX_BYTES];
    static const struct decision none = {.verdict = REFUSED};
    return grants_normal(name, normal, sizeof normal) ? grants_open(&grants, normal, flags, sealed) : none;
}

static bool gives(const char *name, int flags, const char *path, int given) {
    struct decision decision = asked(name, flags, true);
    return decision.verdict == GIVEN && strcmp(decision.path, path) == 0 && decision.flags == given;
}

static bool refuses(const char *name, int flags) { return asked(name, flags, true).verdict == REFUSED; }

static void names(void) {
    char normal[16];
    EXPECT(grants_normal("/a//b/./c", normal, sizeof normal) && strcmp(normal, "/a/b/c") == 0);
    EXPECT(grants_normal("/a/x/../b", normal, sizeof normal) && strcmp(normal, "/a/b") == 0);
    EXPECT(grants_normal("/a/..b/...", normal, sizeof normal) && strcmp(normal, "/a/..b/...") == 0);
    EXPECT(!grants_normal("/..", normal, sizeof normal));
    EXPECT(!grants_normal("/", normal, sizeof normal));
    EXPECT(!grants_normal("", normal, sizeof normal));
    EXPECT(!grants_normal("a/b", normal, sizeof normal));
    EXPECT(grants_normal("/34567890123456", normal, sizeof normal));
    EXPECT(!grants_normal("/345678901234567", normal, sizeof normal));
}

static void rights(void) {
    EXPECT(gives("/image", O_RDONLY, "/image", O_RDONLY));
    EXPECT(refuses("/image", O_RDWR));
    EXPECT(gives("/ram", O_RDWR, "/ram", O_RDWR));
    EXPECT(gives("/memory", O_RDWR, "/memory", O_RDONLY));
    EXPECT(gives("/image/../memory", O_RDWR, "/memory", O_RDONLY));
    EXPECT(refuses("/image/more", O_RDONLY) && refuses("/imag", O_RDONLY) && refuses("/image2", O_RDONLY));
    EXPECT(refuses("/ram", O_RDWR | O_TRUNC) && refuses("/ram", O_RDWR | O_CREAT) && refuses("/ram", O_PATH));
    EXPECT(gives("/dev/null", O_RDWR, "/dev/null", O_RDWR) && refuses("/dev/urandom", O_RDWR));
    EXPECT(!asked("/image", O_RDONLY, true).device && asked("/dev/null", O_RDONLY, true).device);
}

static void layers(void) {
    EXPECT(gives("/vm/disk.0", O_RDONLY, "/vm/disk.0", O_RDONLY));
    EXPECT(gives("/vm/disk.123456", O_RDWR, "/vm/disk.123456", O_RDWR) && asked("/vm/disk.1", O_RDWR, true).layer);
    EXPECT(refuses("/vm/disk.", O_RDONLY) && refuses("/vm/disk.1234567", O_RDONLY) && refuses("/vm/disk.1a", O_RDONLY));
    EXPECT(refuses("/vm/disk.1/x", O_RDONLY) && refuses("/vm/guard.json", O_RDONLY) && refuses("/vm", O_RDONLY));
    EXPECT(refuses("/vm2/disk.1", O_RDONLY) && refuses("/vm/../vm2/disk.1", O_RDONLY));
}

static void own_files(void) {
    static const char *const own[] = {"/usr/lib/x.so", "/lib64/ld.so", "/etc/ld.so.cache", "/opt/q/share/rom", "/opt/q/lib/x"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        EXPECT(asked(own[i], O_RDONLY, false).verdict == GIVEN);
        EXPECT(asked(own[i], O_RDWR, false).verdict == REFUSED);
        EXPECT(asked(own[i], O_RDONLY, true).verdict == REFUSED);
    }
    EXPECT(asked("/opt/q/secret", O_RDONLY, false).verdict == ABSENT);
    EXPECT(asked("/etc/passwd", O_RDONLY, false).verdict == ABSENT && refuses("/etc/passwd", O_RDONLY));
    EXPECT(asked("/etc/localtime", O_RDONLY, true).verdict == ABSENT);
    grants.program = "/bin/qemu";
    EXPECT(asked("/share/rom", O_RDONLY, false).verdict == ABSENT);
}

static void what_only_the_start_needs(void) {
    EXPECT(asked("/kernel", O_RDONLY, false).verdict == GIVEN && asked("/kernel", O_RDWR, false).verdict == REFUSED);
    EXPECT(asked("/dev/kvm", O_RDWR, false).flags == O_RDWR && asked("/dev/kvm", O_RDWR, false).device);
    EXPECT(refuses("/kernel", O_RDONLY) && refuses("/dev/kvm", O_RDWR) && refuses("/dev/kvm", O_RDONLY));
}

static void sockets(void) {
    EXPECT(grants_socket(&grants, "/tmp/c/a.p1") && grants_socket(&grants, "/tmp/c/a.p8") && grants_socket(&grants, "/tmp/c/a.mig"));
    EXPECT(!grants_socket(&grants, "/tmp/c/a.p9") && !grants_socket(&grants, "/tmp/c/a.p11") && !grants_socket(&grants, "/tmp/c/a.qmp"));
    EXPECT(!grants_socket(&grants, "/tmp/c/ab.p1") && !grants_socket(&grants, "/tmp/c/a/../b.p1") && !grants_socket(&grants, "/tmp/c/b.mig"));
    EXPECT(grants_own_socket(&grants, "/tmp/c/a.qmp") && grants_own_socket(&grants, "/tmp/c/a.8") && grants_own_socket(&grants, "/tmp/c/a.0"));
    EXPECT(!grants_own_socket(&grants, "/tmp/c/a.9") && !grants_own_socket(&grants, "/tmp/c/b.qmp"));
}

static void ways(void) {
    EXPECT(grants_lead_through(&grants, "/vm") && grants_lead_through(&grants, "/vm/disk.1") && grants_lead_through(&grants, "/image"));
    EXPECT(!grants_lead_through(&grants, "/vm/x") && !grants_lead_through(&grants, "/v") && !grants_lead_through(&grants, "/image/x"));
}

/* However a name is written, what it gets is granted. */
static void random_names(void) {
    static const char *const parts[] = {"/", "..", ".", "vm", "disk.1", "disk.0", "image", "vm2", "a", "memory", "//", "disk."};
    enum { PARTS = sizeof parts / sizeof *parts, TRIES = 200000, LONGEST = 12 };
    srand(1);
    for (int i = 0; i < TRIES; i++) {
        char name[128] = "/";
        for (int n = rand() % LONGEST; n > 0; n--) {
            strcat(name, parts[rand() % PARTS]);
            if (rand() % 2 == 0) strcat(name, "/");
        }
        struct decision decision = asked(name, rand() % 2 == 0 ? O_RDONLY : O_RDWR, true);
        if (decision.verdict != GIVEN) continue;
        const char *path = decision.path;
        EXPECT(decision.layer || strcmp(path, "/image") == 0 || strcmp(path, "/memory") == 0);
        EXPECT(decision.flags == O_RDONLY || decision.layer);
    }
}

int main(void) {
    EXPECT(grants_add(&grants, "/image", TO_READ) && grants_add(&grants, "/ram", TO_WRITE) && grants_add(&grants, "/memory", TO_COPY));
    EXPECT(grants_add(&grants, "/kernel", TO_BEGIN) && grants_add(&grants, "/dev/kvm", TO_BEGIN));
    names();
    rights();
    layers();
    ways();
    random_names();
    what_only_the_start_needs();
    own_files();
    sockets();
}
