/* Reads the image's passwd and group files itself: the C library's lookups would load NSS modules of the image into
 * a static program. The texts are an image's, so anything may be in them; lines that are not well formed are passed
 * over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { GROUPS_MAX = 256, HOME_MAX = 4096, ACCOUNT_NAME_MAX = 256 };

struct account {
    uid_t uid;
    gid_t gid;
    char name[ACCOUNT_NAME_MAX];
    char home[HOME_MAX];
};

/* A decimal number below 2^32 - 1 (the last one means "no change" to the kernel). */
bool parse_id(const char *text, size_t length, unsigned *id);

bool account_by_name(const char *passwd, size_t length, const char *name, struct account *account);
bool account_by_uid(const char *passwd, size_t length, uid_t uid, struct account *account);

bool group_by_name(const char *group, size_t length, const char *name, gid_t *gid);

bool group_by_gid(const char *group, size_t length, gid_t gid, char name[ACCOUNT_NAME_MAX]);

/* The groups that list the user as a member, at most `capacity`. */
size_t groups_of(const char *group, size_t length, const char *name, gid_t *groups, size_t capacity);
