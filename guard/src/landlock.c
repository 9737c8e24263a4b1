#include "landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As include/uapi/linux/landlock.h has them, of which older systems have less. */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_SOCK = 1 << 9,
    TRUNCATE = 1 << 14,
    IOCTL_DEVICE = 1 << 15,
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE,
    READS = READ_FILE,
    WRITES = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEVICE,
    RUNS = READ_FILE | READ_DIR | EXECUTE,
};

struct wall {
    int rules;
    uint64_t handled;
};

struct attributes {
    uint64_t files;
    uint64_t network; /* TCP: bind, connect */
    uint64_t scopes;  /* abstract sockets, signals */
};

/* What each version of the interface adds. */
static struct attributes of_version(long version, size_t *size) {
    enum { FIRST = 13, REFER = 2, TRUNCATES = 3, NETWORK = 4, DEVICES = 5, SCOPES = 6 };
    int rights = FIRST + (version >= REFER) + (version >= TRUNCATES) + (version >= DEVICES);
    struct attributes all = {.files = (1ULL << rights) - 1};
    *size = sizeof all.files;
    if (version >= NETWORK) {
        all.network = 3;
        *size += sizeof all.network;
    }
    if (version >= SCOPES) {
        all.scopes = 3;
        *size += sizeof all.scopes;
    }
    return all;
}

/* What is not there needs no rule. */
static void allow(const struct wall *wall, const char *path, uint64_t rights) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (fd < 0) return;
    if (fstat(fd, &status) == 0) {
        if (!S_ISDIR(status.st_mode)) rights &= OF_FILES;
        struct landlock_path_beneath_attr rule = {.allowed_access = rights & wall->handled, .parent_fd = fd};
        syscall(SYS_landlock_add_rule, wall->rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(fd);
}

static void allow_sockets(const struct wall *wall, const char *prefix) {
    char directory[NAME_MAX_BYTES];
    snprintf(directory, sizeof directory, "%s", prefix);
    char *slash = strrchr(directory, '/');
    if (slash == NULL || slash == directory) return;
    *slash = '\0';
    allow(wall, directory, MAKE_SOCK | REMOVE_FILE);
}

/* PREFIX/share and PREFIX/lib of PREFIX/bin/PROGRAM. */
static void allow_beside(const struct wall *wall, const char *program) {
    static const char *const directories[] = {"share", "lib"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        char path[NAME_MAX_BYTES];
        const char *end = strrchr(program, '/');
        snprintf(path, sizeof path, "%.*s/../%s", (int)(end - program), program, directories[i]);
        allow(wall, path, RUNS);
    }
}

void landlock_confine(const struct grants *grants, const char *program) {
    size_t size;
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return;
    struct attributes all = of_version(version, &size);
    struct wall wall = {.rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0), .handled = all.files};
    if (wall.rules < 0) return;
    static const char *const systems[] = {"/lib", "/lib32", "/lib64", "/usr", "/nix/store", "/gnu/store", "/etc/ld.so.cache"};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) allow(&wall, systems[i], RUNS);
    allow(&wall, program, RUNS);
    if (grants->program != NULL) {
        allow(&wall, grants->program, RUNS);
        allow_beside(&wall, grants->program);
    }
    allow(&wall, "/dev/null", WRITES);
    allow(&wall, "/dev/urandom", READS);
    for (int i = 0; i < grants->count; i++) {
        /* What is to be copied is opened to be written, and mapped privately. */
        allow(&wall, grants->list[i].path, grants->list[i].right == TO_READ ? READS : WRITES);
    }
    if (grants->layers != NULL) allow(&wall, grants->layers, WRITES);
    if (grants->sockets != NULL) allow_sockets(&wall, grants->sockets);
    syscall(SYS_landlock_restrict_self, wall.rules, 0);
    close(wall.rules);
}
