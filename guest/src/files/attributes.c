/* ATTRIBUTES: sets extended attributes `user.*`, the owner and the permission bits of what a path leads to. That is opened once,
 * without what opening it would do, so that all is set of the same file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "files/details.h"
#include "files/file_operation.h"
#include "files/record_stream.h"

/* A name of the open file that needs no rights to open it. It is missing only where /proc is. */
static char pinned[32];

static void failed(const char *text) { stream_failed(errno == ENOENT ? ENOSYS : errno, "", text); }

static void change(const struct record *record) {
    char name[ATTRIBUTE_NAME_MAX + 1];
    memcpy(name, record->name.bytes, record->name.length);
    name[record->name.length] = '\0';
    if (record->type == RECORD_ATTRIBUTE) {
        if (setxattr(pinned, name, record->bytes.bytes, record->bytes.length, 0) != 0) {
            failed("An extended attribute cannot be set");
        }
    } else if (removexattr(pinned, name) != 0 && errno != ENODATA) {
        failed("An extended attribute cannot be removed");
    }
}

static void change_all(void) {
    struct record record;
    size_t count = 0, bytes = 0;
    for (stream_next(&record); record.type != RECORD_DONE; stream_next(&record)) {
        if (record.type != RECORD_ATTRIBUTE && record.type != RECORD_NO_ATTRIBUTE) {
            stream_failed(EINVAL, "", "ATTRIBUTES takes ATTRIBUTE, NO_ATTRIBUTE and DONE only");
        }
        bytes += record.name.length + record.bytes.length;
        if (++count > ATTRIBUTES_MAX || bytes > ATTRIBUTE_BYTES_MAX) {
            stream_failed(EFBIG, "", "The extended attributes are more than 1,024, or larger than 1 MiB");
        }
        change(&record);
    }
}

/* The mode after the owner, whose change clears bits. */
void file_attributes(const struct file_request *request) {
    struct stat status;
    int follow = (request->flags & ATTRIBUTES_FOLLOW) != 0 ? 0 : O_NOFOLLOW;
    int fd = open(request->path, O_PATH | O_CLOEXEC | follow);
    if (fd < 0 || fstat(fd, &status) != 0) stream_failed(errno, "", "It cannot be reached");
    snprintf(pinned, sizeof pinned, "/proc/self/fd/%d", fd);
    bool mode = (request->flags & ATTRIBUTES_MODE) != 0;
    if (mode && S_ISLNK(status.st_mode)) stream_failed(EOPNOTSUPP, "", "A link has no permission bits");
    change_all();
    if (request->owner != NULL && fchownat(fd, "", request->uid, request->gid, AT_EMPTY_PATH) != 0) {
        failed("The owner cannot be set");
    }
    if (mode && chmod(pinned, request->mode) != 0) failed("The permission bits cannot be set");
}
