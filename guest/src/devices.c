#include "devices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "log.h"
#include "loop.h"
#include "port.h"
#include "shutdown.h"

enum { ROOT_WAIT_MS = 5000 };
static int announcements = -1;
static bool root_found;

void devices_open(void) {
    announcements = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
    if (announcements < 0 || bind(announcements, (struct sockaddr *)&kernel, sizeof kernel) != 0) {
        die("no kernel announcements: %s", strerror(errno));
    }
    loop_watch(announcements, EPOLLIN, DEVICES, 0);
}

/* The name comes a moment after the device (VIRTIO_CONSOLE_PORT_NAME is a message of its own) and is announced. */
static void look_at_port(const char *device) {
    char path[300], name[64];
    snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", device);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    if (n <= 0) return;
    name[n] = '\0';
    name[strcspn(name, "\n")] = '\0';
    snprintf(path, sizeof path, "/dev/%s", device);
    if (strcmp(name, "cloche.goodbye") == 0) {
        if (!goodbye_is_open()) goodbye_open(path);
    } else if (strncmp(name, "cloche.", 7) == 0 && name[7] >= '0' && name[7] < '0' + PORTS && name[8] == '\0') {
        unsigned index = (unsigned)(name[7] - '0');
        if (!port_is_open(index)) port_open(index, path);
    }
}

static bool all_ports_open(void) {
    bool all = goodbye_is_open();
    for (unsigned i = 0; i < PORTS; i++) all &= port_is_open(i);
    return all;
}

void devices_changed(void) {
    char ignored[4096];
    while (recv(announcements, ignored, sizeof ignored, 0) > 0 || errno == ENOBUFS) continue;
    DIR *directory = opendir("/sys/class/virtio-ports");
    if (directory == NULL) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') look_at_port(entry->d_name);
    }
    closedir(directory);
    if (!root_found || !all_ports_open()) return;
    loop_close(announcements); /* what the image's programs do to devices later is no concern of the agent's */
    announcements = -1;
}

bool devices_wait_for_root(void) {
    int64_t deadline = now_ms() + ROOT_WAIT_MS;
    for (;;) {
        root_found = access("/dev/vda", F_OK) == 0;
        int64_t left = deadline - now_ms();
        if (root_found || left <= 0) return root_found;
        /* The disk's driver creates the device while its module loads, so this is rare. */
        struct pollfd news = {.fd = announcements, .events = POLLIN};
        poll(&news, 1, (int)left);
        loop_once(0);
    }
}
