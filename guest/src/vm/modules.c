#include "vm/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loop/loop.h"
#include "sys/log.h"

/* Whether a virtio device of this type ("0x0001") is there. */
static bool has_device(const char *type) {
    bool found = false;
    DIR *directory = opendir("/sys/bus/virtio/devices");
    if (directory == NULL) return false;
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;) {
        char path[300], value[16];
        snprintf(path, sizeof path, "/sys/bus/virtio/devices/%s/device", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        ssize_t n = read(fd, value, sizeof value - 1);
        close(fd);
        if (n <= 0) continue;
        value[n] = '\0';
        value[strcspn(value, "\n")] = '\0';
        found = strcmp(value, type) == 0;
    }
    closedir(directory);
    return found;
}

static void load(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "/modules/%s.ko", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST)) {
        log_line("cannot load the module %s: %s", name, strerror(errno));
    }
    if (fd >= 0) close(fd);
}

/* Each line of /modules/list is a name, or a name and the virtio device type without which it is not needed. The
 * line `-` ends the first part. No list: the kernel has all built in. */
void modules_load(bool first) {
    FILE *list = fopen("/modules/list", "re");
    if (list == NULL) return;
    bool wanted = first;
    char line[128];
    while (fgets(line, sizeof line, list) != NULL) {
        char name[64], device[16];
        int words = sscanf(line, "%63s %15s", name, device);
        if (words < 1) continue;
        if (strcmp(name, "-") == 0) {
            wanted = !wanted;
        } else if (wanted && (words == 1 || has_device(device))) {
            load(name);
            loop_once(0);
        }
    }
    fclose(list);
}
