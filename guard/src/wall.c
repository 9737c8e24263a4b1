#include "wall.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grants.h"

static const uint64_t OF_FILES = WALL_EXECUTE | WALL_WRITE_FILE | WALL_READ_FILE | WALL_TRUNCATE | WALL_IOCTL_DEVICE;

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

struct wall wall_begin(bool outside) {
    size_t size;
    struct wall wall = {.rules = -1};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return wall;
    struct attributes all = of_version(version, &size);
    if (!outside) all.network = all.scopes = 0;
    wall.rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
    wall.handled = all.files;
    return wall;
}

void wall_allow(const struct wall *wall, const char *path, uint64_t rights) {
    if (wall->rules < 0) return;
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

void wall_allow_around(const struct wall *wall, const char *file, uint64_t rights) {
    char directory[NAME_MAX_BYTES];
    snprintf(directory, sizeof directory, "%s", file);
    char *slash = strrchr(directory, '/');
    if (slash == NULL || slash == directory) return;
    *slash = '\0';
    wall_allow(wall, directory, rights);
}

void wall_allow_system(const struct wall *wall) {
    static const char *const systems[] = {"/lib", "/lib32", "/lib64", "/usr", "/nix/store", "/gnu/store", "/etc/ld.so.cache"};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) wall_allow(wall, systems[i], WALL_RUNS);
}

void wall_allow_beside(const struct wall *wall, const char *program) {
    static const char *const directories[] = {"share", "lib"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        char path[NAME_MAX_BYTES];
        const char *end = strrchr(program, '/');
        snprintf(path, sizeof path, "%.*s/../%s", (int)(end - program), program, directories[i]);
        wall_allow(wall, path, WALL_RUNS);
    }
}

void wall_enter(const struct wall *wall) {
    if (wall->rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    syscall(SYS_landlock_restrict_self, wall->rules, 0);
}

void wall_close(struct wall *wall) {
    if (wall->rules >= 0) close(wall->rules);
    wall->rules = -1;
}

void wall_around_nothing(void) {
    struct wall wall = wall_begin(true);
    wall_enter(&wall);
    wall_close(&wall);
}
