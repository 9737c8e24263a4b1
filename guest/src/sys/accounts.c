#include "sys/accounts.h"

#include <string.h>

enum { FIELDS_MAX = 7 };

struct field {
    const char *start;
    size_t length;
};

struct lines {
    const char *next;
    const char *end;
};

/* Splits the next line at its colons; answers the number of fields (the last takes what is left), -1 at the end. */
static int next_line(struct lines *lines, struct field *fields) {
    if (lines->next >= lines->end) return -1;
    const char *start = lines->next;
    const char *end = memchr(start, '\n', (size_t)(lines->end - start));
    if (end == NULL) end = lines->end;
    lines->next = end + 1;
    int count = 0;
    for (;;) {
        const char *colon = count == FIELDS_MAX - 1 ? NULL : memchr(start, ':', (size_t)(end - start));
        const char *stop = colon == NULL ? end : colon;
        fields[count++] = (struct field){start, (size_t)(stop - start)};
        if (colon == NULL) return count;
        start = colon + 1;
    }
}

static bool is(struct field field, const char *text) {
    return strlen(text) == field.length && memcmp(field.start, text, field.length) == 0;
}

static bool copy(struct field field, char *text, size_t capacity) {
    if (field.length >= capacity || memchr(field.start, '\0', field.length) != NULL) return false;
    memcpy(text, field.start, field.length);
    text[field.length] = '\0';
    return true;
}

bool parse_id(const char *text, size_t length, unsigned *id) {
    unsigned long long value = 0;
    if (length == 0 || length > 10) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    if (value >= 0xffffffff) return false;
    *id = (unsigned)value;
    return true;
}

/* name:password:uid:gid:comment:home:shell */
static bool to_account(const struct field *fields, int count, struct account *account) {
    unsigned uid, gid;
    if (count < 6 || fields[0].length == 0 || !parse_id(fields[2].start, fields[2].length, &uid) ||
        !parse_id(fields[3].start, fields[3].length, &gid) ||
        !copy(fields[0], account->name, sizeof account->name) ||
        !copy(fields[5], account->home, sizeof account->home)) {
        return false;
    }
    account->uid = uid;
    account->gid = gid;
    return true;
}

bool account_by_name(const char *passwd, size_t length, const char *name, struct account *account) {
    struct lines lines = {passwd, passwd + length};
    struct field fields[FIELDS_MAX];
    for (int count; (count = next_line(&lines, fields)) >= 0;) {
        if (is(fields[0], name) && to_account(fields, count, account)) return true;
    }
    return false;
}

bool account_by_uid(const char *passwd, size_t length, uid_t uid, struct account *account) {
    struct lines lines = {passwd, passwd + length};
    struct field fields[FIELDS_MAX];
    for (int count; (count = next_line(&lines, fields)) >= 0;) {
        if (to_account(fields, count, account) && account->uid == uid) return true;
    }
    return false;
}

/* name:password:gid:member,member */
bool group_by_name(const char *group, size_t length, const char *name, gid_t *gid) {
    struct lines lines = {group, group + length};
    struct field fields[FIELDS_MAX];
    for (int count; (count = next_line(&lines, fields)) >= 0;) {
        unsigned id;
        if (count >= 3 && is(fields[0], name) && parse_id(fields[2].start, fields[2].length, &id)) {
            *gid = id;
            return true;
        }
    }
    return false;
}

bool group_by_gid(const char *group, size_t length, gid_t gid, char name[ACCOUNT_NAME_MAX]) {
    struct lines lines = {group, group + length};
    struct field fields[FIELDS_MAX];
    for (int count; (count = next_line(&lines, fields)) >= 0;) {
        unsigned id;
        if (count >= 3 && fields[0].length > 0 && parse_id(fields[2].start, fields[2].length, &id) && id == gid &&
            copy(fields[0], name, ACCOUNT_NAME_MAX)) {
            return true;
        }
    }
    return false;
}

static bool lists(struct field members, const char *name) {
    const char *end = members.start + members.length;
    for (const char *start = members.start; start < end;) {
        const char *comma = memchr(start, ',', (size_t)(end - start));
        if (comma == NULL) comma = end;
        if (is((struct field){start, (size_t)(comma - start)}, name)) return true;
        start = comma + 1;
    }
    return false;
}

size_t groups_of(const char *group, size_t length, const char *name, gid_t *groups, size_t capacity) {
    struct lines lines = {group, group + length};
    struct field fields[FIELDS_MAX];
    size_t found = 0;
    for (int count; found < capacity && (count = next_line(&lines, fields)) >= 0;) {
        unsigned id;
        if (count >= 4 && parse_id(fields[2].start, fields[2].length, &id) && lists(fields[3], name)) {
            groups[found++] = id;
        }
    }
    return found;
}
