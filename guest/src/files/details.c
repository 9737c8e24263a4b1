#include "files/details.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "files/account_names.h"
#include "files/record_stream.h"

/* As the kernel bounds the names of one file. */
enum { NAMES_MAX = 65536 };

static const char USER[] = "user.";

typedef ssize_t listing(const char *path, char *names, size_t size);
typedef ssize_t reading(const char *path, const char *name, void *value, size_t size);

/* It has vanished, has none, or its user may not read them. */
static bool has_none(int error) {
    return error == ENOENT || error == ENODATA || error == EOPNOTSUPP || error == EACCES || error == EPERM;
}

/* By its path, for to open a file may do something, and by a link only where that was asked for. */
static void tell_attributes(const char *path, bool follow, const char *shown) {
    static char names[NAMES_MAX], value[ATTRIBUTE_VALUE_MAX];
    listing *list = follow ? listxattr : llistxattr;
    reading *get = follow ? getxattr : lgetxattr;
    ssize_t length = list(path, names, sizeof names);
    if (length < 0 && !has_none(errno)) stream_failed(errno, shown, "The extended attributes cannot be listed");
    size_t told = 0, bytes = 0;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        const char *name = names + at;
        if (strncmp(name, USER, sizeof USER - 1) != 0) continue;
        ssize_t size = get(path, name, value, sizeof value);
        if (size < 0 && has_none(errno)) continue;
        if (size < 0) stream_failed(errno, shown, "An extended attribute cannot be read");
        bytes += strlen(name) + (size_t)size;
        if (++told > ATTRIBUTES_MAX || bytes > ATTRIBUTE_BYTES_MAX) {
            stream_failed(EFBIG, shown, "The extended attributes are more than 1,024, or larger than 1 MiB");
        }
        stream_attribute(name, (struct text){.bytes = value, .length = (uint32_t)size});
    }
}

void details_tell(const struct entry *entry, const char *path, bool follow, const char *shown) {
    static char real[PATH_MAX];
    /* A link to nothing has none, nor has what lies too deep. */
    bool leads = realpath(path, real) != NULL && strlen(real) <= ENTRY_NAME_MAX && real[0] == '/';
    stream_details(user_name(entry->uid), group_name(entry->gid), leads ? real : "");
    if (entry->kind == ENTRY_FILE || entry->kind == ENTRY_DIRECTORY) tell_attributes(path, follow, shown);
}
