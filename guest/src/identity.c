#include "identity.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spawn.h"

enum { FILE_MAX = 4 * 1024 * 1024 };

struct file {
    char *bytes;
    size_t length;
};

/* An image that lacks the file, or has something else in its place, has no accounts. */
static struct file read_file(const char *path) {
    struct file file = {0};
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return file;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_MAX) {
        file.bytes = malloc((size_t)status.st_size + 1);
        ssize_t n;
        while (file.bytes != NULL && file.length < (size_t)status.st_size &&
               (n = read(fd, file.bytes + file.length, (size_t)status.st_size - file.length)) > 0) {
            file.length += (size_t)n;
        }
    }
    close(fd);
    return file;
}

static void find_user(const char *user, struct account *account, bool *listed) {
    struct file passwd = read_file("/etc/passwd");
    unsigned uid = 0;
    bool number = *user == '\0' || parse_id(user, strlen(user), &uid);
    *listed = (*user != '\0' && account_by_name(passwd.bytes, passwd.length, user, account)) ||
              (number && account_by_uid(passwd.bytes, passwd.length, uid, account));
    if (*listed) return;
    if (!number) spawn_give_up(UNKNOWN_USER, "The image has no user %.100s.", user);
    *account = (struct account){.uid = uid, .home = "/"};
}

static gid_t find_group(const char *name) {
    struct file group = read_file("/etc/group");
    gid_t gid;
    if (*name == '\0') spawn_give_up(UNKNOWN_GROUP, "The group after the colon is missing.");
    if (group_by_name(group.bytes, group.length, name, &gid)) return gid;
    unsigned number;
    if (parse_id(name, strlen(name), &number)) return number;
    spawn_give_up(UNKNOWN_GROUP, "The image has no group %.100s.", name);
}

void identity_find(const char *user, struct identity *identity) {
    static struct account account;
    char name[512];
    const char *colon = strchr(user, ':');
    size_t length = colon == NULL ? strlen(user) : (size_t)(colon - user);
    if (length >= sizeof name) spawn_give_up(UNKNOWN_USER, "The user's name is too long.");
    memcpy(name, user, length);
    name[length] = '\0';
    bool listed;
    find_user(name, &account, &listed);
    identity->uid = account.uid;
    identity->gid = account.gid;
    identity->group_count = 0;
    strcpy(identity->home, account.home[0] == '\0' ? "/" : account.home);
    if (colon != NULL) {
        identity->gid = find_group(colon + 1);
    } else if (listed) {
        struct file group = read_file("/etc/group");
        identity->group_count = groups_of(group.bytes, group.length, account.name, identity->groups, GROUPS_MAX);
    }
}

void identity_take(const struct identity *identity) {
    if (setgroups(identity->group_count, identity->groups) != 0 ||
        setresgid(identity->gid, identity->gid, identity->gid) != 0 ||
        setresuid(identity->uid, identity->uid, identity->uid) != 0) {
        spawn_give_up(INTERNAL, "The user's rights could not be taken: %s.", strerror(errno));
    }
}
