/* The names of users and groups by the guest's /etc/passwd and /etc/group, which are read once, when the first name is asked
 * for, as the user of the operation may read them. */
#pragma once

#include <stdint.h>

/* Empty if there is none; valid until the next call. */
const char *user_name(uint32_t uid);
const char *group_name(uint32_t gid);
