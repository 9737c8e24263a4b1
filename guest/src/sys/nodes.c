#include "sys/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/log.h"

static int nodes = -1, null = -1;

int mount_detached(const char *type) {
    int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
    int mount = -1;
    if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0) {
        mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    }
    if (mount < 0) die("cannot mount a %s: %s", type, strerror(errno));
    close(context);
    return mount;
}

void nodes_open(void) {
    nodes = mount_detached("tmpfs");
    null = node_open(1, 3, O_RDONLY);
    if (null < 0) die("no /dev/null: %s", strerror(errno));
}

int node_open(unsigned major, unsigned minor, int flags) {
    if (mknodat(nodes, "node", S_IFCHR | 0600, makedev(major, minor)) != 0) return -1;
    int fd = openat(nodes, "node", flags | O_CLOEXEC);
    int error = errno;
    unlinkat(nodes, "node", 0);
    errno = error;
    return fd;
}

int node_null(void) { return null; }
