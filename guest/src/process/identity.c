#include "process/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "process/report.h"
#include "sys/raw.h"

/* Of a file no more is read than FILE_MAX, a piece of whole lines at a time. A line longer than PIECE is no account. */
enum { FILE_MAX = 4 * 1024 * 1024, PIECE = 16 * 1024 };

struct file {
    int fd; /* -1: none, or all was read */
    size_t read;
    size_t given; /* bytes at the beginning that were handed out */
    size_t length;
    bool inside; /* of a line that is too long */
    char bytes[PIECE];
};

/* An image that lacks the file, or has something else in its place, has no accounts. */
static void file_open(struct file *file, const char *path) {
    struct stat status;
    file->read = file->given = file->length = 0;
    file->inside = false;
    file->fd = (int)raw(SYS_open, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file->fd < 0) return;
    if (raw(SYS_fstat, file->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_MAX) return;
    raw(SYS_close, file->fd);
    file->fd = -1;
}

static void fill(struct file *file) {
    file->length -= file->given;
    memmove(file->bytes, file->bytes + file->given, file->length);
    file->given = 0;
    while (file->fd >= 0 && file->length < PIECE) {
        long n = raw(SYS_read, file->fd, file->bytes + file->length, PIECE - file->length);
        if (n == -EINTR) continue;
        if (n <= 0 || file->read + (size_t)n > FILE_MAX) {
            raw(SYS_close, file->fd);
            file->fd = -1;
            return;
        }
        file->read += (size_t)n;
        file->length += (size_t)n;
    }
}

/* Has the next whole lines at the beginning of its bytes; answers how long they are, 0 at the end. */
static size_t file_lines(struct file *file) {
    for (;;) {
        fill(file);
        const char *last = memrchr(file->bytes, '\n', file->length);
        size_t whole = file->fd < 0 ? file->length : last == NULL ? 0 : (size_t)(last + 1 - file->bytes);
        file->given = whole == 0 ? file->length : whole;
        if (file->length == 0) return 0;
        if (whole > 0 && !file->inside) return whole;
        if (file->inside) { /* up to its end nothing counts */
            const char *end = memchr(file->bytes, '\n', file->length);
            if (end != NULL) file->given = (size_t)(end + 1 - file->bytes);
            file->inside = end == NULL;
        } else {
            file->inside = true;
        }
    }
}

/* The user by name, or by number if that is `uid`. */
static bool find_account(const char *name, const unsigned *uid, struct account *account) {
    struct file passwd;
    bool found = false;
    file_open(&passwd, "/etc/passwd");
    for (size_t length; !found && (length = file_lines(&passwd)) > 0;) {
        found = uid == NULL ? account_by_name(passwd.bytes, length, name, account)
                            : account_by_uid(passwd.bytes, length, *uid, account);
    }
    if (passwd.fd >= 0) raw(SYS_close, passwd.fd);
    return found;
}

static void find_user(const char *user, struct account *account, bool *listed) {
    unsigned uid = 0;
    bool number = *user == '\0' || parse_id(user, strlen(user), &uid);
    *listed = (*user != '\0' && find_account(user, NULL, account)) || (number && find_account(user, &uid, account));
    if (*listed) return;
    if (!number) child_give_up(UNKNOWN_USER, 0, "The image has no user ", user, ".");
    account->uid = uid;
    account->gid = 0;
    strcpy(account->home, "/");
}

static gid_t find_group(const char *name) {
    struct file group;
    gid_t gid;
    unsigned number;
    bool found = false;
    if (*name == '\0') child_give_up(UNKNOWN_GROUP, 0, "The group after the colon is missing.", "", "");
    file_open(&group, "/etc/group");
    for (size_t length; !found && (length = file_lines(&group)) > 0;) {
        found = group_by_name(group.bytes, length, name, &gid);
    }
    if (group.fd >= 0) raw(SYS_close, group.fd);
    if (found) return gid;
    if (parse_id(name, strlen(name), &number)) return number;
    child_give_up(UNKNOWN_GROUP, 0, "The image has no group ", name, ".");
}

static void find_groups(const char *name, struct identity *identity) {
    struct file group;
    file_open(&group, "/etc/group");
    for (size_t length; (length = file_lines(&group)) > 0;) {
        identity->group_count += groups_of(group.bytes, length, name, identity->groups + identity->group_count,
                                           GROUPS_MAX - identity->group_count);
    }
}

void identity_find(const char *user, struct identity *identity) {
    struct account account;
    char name[512];
    const char *colon = strchr(user, ':');
    size_t length = colon == NULL ? strlen(user) : (size_t)(colon - user);
    if (length >= sizeof name) child_give_up(UNKNOWN_USER, 0, "The user's name is too long.", "", "");
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
        find_groups(account.name, identity);
    }
}

void identity_take(const struct identity *identity) {
    long taken = raw(SYS_setgroups, identity->group_count, identity->groups);
    if (taken == 0) taken = raw(SYS_setresgid, identity->gid, identity->gid, identity->gid);
    if (taken == 0) taken = raw(SYS_setresuid, identity->uid, identity->uid, identity->uid);
    if (taken != 0) child_give_up(INTERNAL, (int)-taken, "The user's rights could not be taken", "", "");
}
