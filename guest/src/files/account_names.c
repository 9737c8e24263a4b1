#include "files/account_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/accounts.h"

/* A larger file has no accounts, as when a command is given its user. */
enum { FILE_MAX = 4 * 1024 * 1024 };

struct names {
    const char *path;
    char *bytes;
    size_t length;
    bool read;
    bool found; /* the last one that was asked for */
    uint32_t last;
    char name[ACCOUNT_NAME_MAX];
};

static struct names users = {.path = "/etc/passwd"}, groups = {.path = "/etc/group"};

/* Non-blocking, for the case that it is a pipe. */
static void read_all(struct names *names) {
    struct stat status;
    names->read = true;
    int fd = open(names->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return;
    bool good = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= FILE_MAX;
    if (good) names->bytes = malloc((size_t)status.st_size);
    while (names->bytes != NULL && names->length < (size_t)status.st_size) {
        ssize_t n = read(fd, names->bytes + names->length, (size_t)status.st_size - names->length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        names->length += (size_t)n;
    }
    close(fd);
}

static bool find_user(const struct names *names, uint32_t uid, char name[ACCOUNT_NAME_MAX]) {
    static struct account account;
    if (!account_by_uid(names->bytes, names->length, uid, &account)) return false;
    memcpy(name, account.name, ACCOUNT_NAME_MAX);
    return true;
}

static bool find_group(const struct names *names, uint32_t gid, char name[ACCOUNT_NAME_MAX]) {
    return group_by_gid(names->bytes, names->length, gid, name);
}

/* Files that are told one after the other mostly have the same owner. */
static const char *name_of(struct names *names, uint32_t id, bool (*find)(const struct names *, uint32_t, char *)) {
    if (!names->read) read_all(names);
    else if (names->last == id) return names->found ? names->name : "";
    names->last = id;
    names->found = names->length > 0 && find(names, id, names->name);
    return names->found ? names->name : "";
}

const char *user_name(uint32_t uid) { return name_of(&users, uid, find_user); }

const char *group_name(uint32_t gid) { return name_of(&groups, gid, find_group); }
