/* Whom a command runs as. Used in the child (child.h): what fails ends it with a report. */
#pragma once

#include "sys/accounts.h"

struct identity {
    uid_t uid;
    gid_t gid;
    gid_t groups[GROUPS_MAX];
    size_t group_count;
    char home[HOME_MAX];
};

/* `name`, `uid`, `name:group`, `uid:gid`, or nothing for root, by the image's /etc/passwd and /etc/group. A number
 * needs no entry. Without a group the user's own is taken and all that list the user; with one, only that. */
void identity_find(const char *user, struct identity *identity);

void identity_take(const struct identity *identity);
