#include "grants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

bool grants_add(struct grants *grants, const char *path, enum right right) {
    if (grants->count == grants->room) {
        int room = grants->room == 0 ? 64 : grants->room * 2;
        struct grant *list = realloc(grants->list, (size_t)room * sizeof *list);
        if (list == NULL) return false;
        grants->list = list;
        grants->room = room;
    }
    grants->list[grants->count++] = (struct grant){.path = path, .right = right};
    return true;
}

bool grants_normal(const char *name, char *normal, size_t size) {
    if (*name != '/') return false;
    size_t length = 0;
    while (*name != '\0') {
        while (*name == '/') name++;
        size_t part = strcspn(name, "/");
        if (part == 0 || (part == 1 && name[0] == '.')) {
            name += part;
            continue;
        }
        if (part == 2 && name[0] == '.' && name[1] == '.') {
            if (length == 0) return false;
            while (normal[--length] != '/') continue;
        } else {
            if (length + 1 + part >= size) return false;
            normal[length++] = '/';
            memcpy(normal + length, name, part);
            length += part;
        }
        name += part;
    }
    if (length == 0) return false;
    normal[length] = '\0';
    return true;
}

static bool is_below(const char *name, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(name, directory, length) == 0 && name[length] == '/';
}

/* DIRECTORY/disk.N */
static bool is_layer(const char *name, const char *directory) {
    static const char prefix[] = "/disk.";
    enum { DIGITS_MAX = 6 };
    if (directory == NULL || !is_below(name, directory)) return false;
    const char *rest = name + strlen(directory);
    if (strncmp(rest, prefix, sizeof prefix - 1) != 0) return false;
    rest += sizeof prefix - 1;
    size_t digits = strspn(rest, "0123456789");
    return digits >= 1 && digits <= DIGITS_MAX && rest[digits] == '\0';
}

/* Where systems have programs and libraries, which all users may read. */
static bool is_of_the_system(const char *name) {
    static const char *const directories[] = {"/lib", "/lib32", "/lib64", "/usr", "/nix/store", "/gnu/store"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        if (is_below(name, directories[i])) return true;
    }
    return strcmp(name, "/etc/ld.so.cache") == 0;
}

/* Of PREFIX/bin/PROGRAM: PREFIX/share and PREFIX/lib. */
static bool is_own(const struct grants *grants, const char *name) {
    if (is_of_the_system(name)) return true;
    if (grants->program == NULL) return false;
    const char *end = strrchr(grants->program, '/');
    while (end > grants->program && end[-1] != '/') end--;
    size_t prefix = (size_t)(end - grants->program);
    if (prefix < 2 || strncmp(name, grants->program, prefix) != 0) return false;
    return strncmp(name + prefix, "share/", 6) == 0 || strncmp(name + prefix, "lib/", 4) == 0;
}

/* What libraries look for, and do without; at any time. */
static bool is_vain(const char *name) {
    static const char *const files[] = {"/etc/localtime", "/proc/stat", "/proc/cpuinfo", "/proc/sys/vm/overcommit_memory"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(name, files[i]) == 0) return true;
    }
    return is_below(name, "/sys/devices/system/cpu") || is_below(name, "/sys/devices/system/node");
}

static const struct decision REFUSAL = {.verdict = REFUSED};

bool grants_device(const struct grant *grant) { return strncmp(grant->path, "/dev/", 5) == 0; }

static struct decision give(const char *path, int flags) {
    return (struct decision){.verdict = GIVEN, .path = path, .flags = flags};
}

static struct decision give_granted(const struct grant *grant, int asked, bool sealed) {
    if (grant->right == TO_BEGIN && sealed) return REFUSAL;
    bool reads = (asked & O_ACCMODE) == O_RDONLY;
    struct decision decision = give(grant->path, reads ? O_RDONLY : O_RDWR);
    decision.device = grants_device(grant);
    if (reads || grant->right == TO_WRITE || (grant->right == TO_BEGIN && decision.device)) return decision;
    if (grant->right != TO_COPY) return REFUSAL;
    decision.flags = O_RDONLY;
    return decision;
}

struct decision grants_open(const struct grants *grants, const char *normal, int flags, bool sealed) {
    /* Everything that is there for it exists already. */
    if ((flags & (O_CREAT | O_TRUNC | O_PATH)) != 0 || (flags & O_ACCMODE) == O_ACCMODE) return REFUSAL;
    if (is_layer(normal, grants->layers)) {
        struct decision decision = give(normal, (flags & O_ACCMODE) == O_RDONLY ? O_RDONLY : O_RDWR);
        decision.layer = true;
        return decision;
    }
    for (int i = 0; i < grants->count; i++) {
        if (strcmp(normal, grants->list[i].path) == 0) return give_granted(&grants->list[i], flags, sealed);
    }
    static const struct grant null = {"/dev/null", TO_WRITE}, random = {"/dev/urandom", TO_READ};
    if (strcmp(normal, null.path) == 0) return give_granted(&null, flags, sealed);
    if (strcmp(normal, random.path) == 0) return give_granted(&random, flags, sealed);
    if (is_vain(normal)) return (struct decision){.verdict = ABSENT};
    if (sealed) return REFUSAL;
    if (is_own(grants, normal)) return (flags & O_ACCMODE) == O_RDONLY ? give(normal, O_RDONLY) : REFUSAL;
    return (struct decision){.verdict = ABSENT};
}

bool grants_lead_through(const struct grants *grants, const char *normal) {
    if (grants->layers != NULL) {
        if (is_layer(normal, grants->layers) || strcmp(normal, grants->layers) == 0 || is_below(grants->layers, normal)) return true;
    }
    for (int i = 0; i < grants->count; i++) {
        if (strcmp(normal, grants->list[i].path) == 0 || is_below(grants->list[i].path, normal)) return true;
    }
    return false;
}

/* What follows the beginning that all names of its sockets have; NULL if it has another one. */
static const char *of_socket(const struct grants *grants, const char *name) {
    if (grants->sockets == NULL) return NULL;
    size_t length = strlen(grants->sockets);
    return strncmp(name, grants->sockets, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

bool grants_socket(const struct grants *grants, const char *name) {
    const char *rest = of_socket(grants, name);
    return rest != NULL && (strcmp(rest, "mig") == 0 || (rest[0] == 'p' && rest[1] >= '1' && rest[1] <= '8' && rest[2] == '\0'));
}

bool grants_own_socket(const struct grants *grants, const char *name) {
    const char *rest = of_socket(grants, name);
    return rest != NULL && (strcmp(rest, "qmp") == 0 || (rest[0] >= '0' && rest[0] <= '8' && rest[1] == '\0'));
}
