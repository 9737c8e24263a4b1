#include "vm/devices.h"

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

#include "execution/log_port.h"
#include "loop/loop.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/nodes.h"
#include "vm/announcement.h"
#include "vm/disk.h"
#include "vm/power_off.h"
#include "wire/port.h"

enum { ROOT_WAIT_MS = 5000, NAMES_WAIT_MS = 2000, ANNOUNCEMENTS_A_ROUND = 64 };

static int announcements = -1;
static bool announced = true, look = true; /* what is there already is not announced */

static int sysfs = -1;

void devices_open(void) {
    sysfs = mount_detached("sysfs");
    nodes_open();
    announcements = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
    if (announcements < 0 || bind(announcements, (struct sockaddr *)&kernel, sizeof kernel) != 0) {
        die("no kernel announcements: %s", strerror(errno));
    }
    loop_watch(announcements, EPOLLIN, DEVICES, 0);
}

/* The first line of an attribute of a port; empty if there is none. */
static void read_attribute(const char *port, const char *attribute, char *value, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "class/virtio-ports/%s/%s", port, attribute);
    value[0] = '\0';
    int fd = openat(sysfs, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = read(fd, value, size - 1);
    close(fd);
    value[n > 0 ? n : 0] = '\0';
    value[strcspn(value, "\n")] = '\0';
}

static int open_device(const char *port, int flags) {
    char number[32];
    unsigned major, minor;
    read_attribute(port, "dev", number, sizeof number);
    if (sscanf(number, "%u:%u", &major, &minor) != 2) return -1;
    int fd = node_open(major, minor, flags);
    if (fd < 0) log_line("cannot open %s: %s", port, strerror(errno));
    return fd;
}

static void open_port(const char *device, unsigned index) {
    int fd = port_is_open(index) ? -1 : open_device(device, O_RDWR | O_NONBLOCK);
    if (fd >= 0) port_open(index, fd);
}

/* The name comes a moment after the device (VIRTIO_CONSOLE_PORT_NAME is a message of its own) and is announced. Answers
 * whether it is there. */
static bool look_at_port(const char *device) {
    char name[64];
    read_attribute(device, "name", name, sizeof name);
    if (strcmp(name, "cloche.log") == 0) {
        if (!log_port_is_open()) log_port_open(open_device(device, O_WRONLY | O_NONBLOCK));
    } else if (strcmp(name, "cloche.goodbye") == 0) {
        /* Blocking, unlike the others: see power_off.c. */
        if (!goodbye_is_open()) goodbye_open(open_device(device, O_WRONLY));
    } else if (strcmp(name, "cloche.ports") == 0) {
        open_port(device, PORT_OF_PUBLISHED);
    } else if (strncmp(name, "cloche.", 7) == 0 && name[7] >= '0' && name[7] < '0' + PORT_OF_PUBLISHED && name[8] == '\0') {
        open_port(device, (unsigned)(name[7] - '0'));
    }
    return name[0] != '\0';
}

/* Answers whether all that are there have their names. */
static bool look_at_ports(void) {
    int fd = openat(sysfs, "class/virtio-ports", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        if (fd >= 0) close(fd);
        return true;
    }
    bool named = true;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') named &= look_at_port(entry->d_name);
    }
    closedir(directory);
    return named;
}

void devices_event(void) { announced = true; }

/* The messages only say when to look: root in the guest can make its kernel send any. So many a round, lest a flood of
 * them holds up the ports; and every port is looked at after they were read, so none that they announced is missed. */
bool devices_pump(void) {
    if (!announced) return false;
    for (int i = 0; i < ANNOUNCEMENTS_A_ROUND && announced; i++) {
        char message[4096];
        ssize_t n = recv(announcements, message, sizeof message, 0);
        if (n >= 0) {
            look |= announcement_has(message, (size_t)n, "SUBSYSTEM=virtio-ports");
        } else if (errno == ENOBUFS) {
            look = true; /* some were lost */
        } else if (errno != EINTR) {
            announced = false;
        }
    }
    if (look) look_at_ports();
    look = false;
    return announced;
}

bool devices_wait_for_root(void) {
    char disk[32];
    int64_t deadline = now_ms() + ROOT_WAIT_MS;
    for (;;) {
        bool found = disk_find_image(disk);
        int64_t left = deadline - now_ms();
        if (found || left <= 0) return found;
        /* The disk's driver creates the device while its module loads, so this is rare. */
        struct pollfd news = {.fd = announcements, .events = POLLIN};
        poll(&news, 1, (int)left);
        loop_once(0);
    }
}

/* All are there before the first has its name: the host announces them together, and names one when it is told that the
 * guest knows it. */
void devices_wait_for_names(void) {
    int64_t deadline = now_ms() + NAMES_WAIT_MS;
    while (!look_at_ports()) {
        int64_t left = deadline - now_ms();
        if (left <= 0) return;
        struct pollfd news = {.fd = announcements, .events = POLLIN};
        poll(&news, 1, (int)left);
        loop_once(0);
    }
}
