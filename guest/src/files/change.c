#include "files/change.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "files/record_stream.h"

/* As the kernel bounds the names of one file. */
enum { NAMES_MAX = 65536 };

static const char OVERLAY[] = "trusted.overlay.";

static int directory = -1;

void changes_open(int upper) { directory = upper; }

int changes_directory(void) { return directory; }

bool change_is_left_out(const char *name) {
    static const char *const names[] = {"dev",      "proc",         "sys",             "run",
                                        "etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/machine-id"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

bool change_is_removal(const struct stat *status) {
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(0, 0);
}

static bool is_overlays(const char *attribute, const char *what) {
    return strcmp(attribute + sizeof OVERLAY - 1, what) == 0;
}

/* The agent mounts the overlay without what makes these two, and other than by a copy they could not be told. */
static void overlay_attribute(int fd, const char *attribute, const char *name) {
    char value;
    if (is_overlays(attribute, "redirect") || is_overlays(attribute, "metacopy")) {
        stream_failed(EOPNOTSUPP, name, "The overlay refers to a file of the image");
    }
    if (is_overlays(attribute, "opaque") && fgetxattr(fd, attribute, &value, 1) == 1 && value == 'y') stream_opaque();
}

static void own_attribute(int fd, const char *attribute, const char *name) {
    static char value[ATTRIBUTE_VALUE_MAX];
    ssize_t length = fgetxattr(fd, attribute, value, sizeof value);
    if (length < 0 && errno == ENODATA) return; /* it has been taken away since */
    if (length < 0) stream_failed(errno, name, "An extended attribute cannot be read");
    stream_attribute(attribute, (struct text){.bytes = value, .length = (uint32_t)length});
}

void change_attributes(int fd, const char *name) {
    static char names[NAMES_MAX];
    ssize_t length = flistxattr(fd, names, sizeof names);
    if (length < 0 && errno != EOPNOTSUPP) stream_failed(errno, name, "The extended attributes cannot be listed");
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        bool overlays = strncmp(names + at, OVERLAY, sizeof OVERLAY - 1) == 0;
        (overlays ? overlay_attribute : own_attribute)(fd, names + at, name);
    }
}
