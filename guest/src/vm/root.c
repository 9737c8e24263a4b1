#include "vm/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "files/change.h"
#include "process/terminal.h"
#include "sys/log.h"
#include "vm/disk.h"
#include "vm/freeze.h"
#include "vm/grow.h"
#include "vm/metrics.h"

static void must_mount(const char *source, const char *target, const char *type, unsigned long flags,
                       const char *options) {
    mkdir(target, 0755);
    if (mount(source, target, type, flags, options) != 0) die("cannot mount %s: %s", target, strerror(errno));
}

/* Without these an image is less complete, but works. */
static void may_mount(const char *source, const char *target, const char *type, unsigned long flags,
                      const char *options) {
    mkdir(target, 0755);
    if (mount(source, target, type, flags, options) != 0) log_line("cannot mount %s: %s", target, strerror(errno));
}

void root_prepare(void) {
    must_mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755");
    int console = open("/dev/console", O_RDWR | O_NOCTTY);
    if (console < 0) console = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) dup2(console, fd);
    if (console > STDERR_FILENO) close(console);
    /* Descriptor 3 stays taken: the child of an execution puts its report there (process/report.h). */
    if (fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) != 3) die("descriptor 3 is not free");
    must_mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    must_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* The layer of what the guest writes: a disk's, if the host has attached one for it, else memory. */
static void mount_writable(void) {
    char disk[32];
    bool on_disk = disk_find_upper(disk);
    if (on_disk) {
        must_mount(disk, "/writable", "ext4", 0, NULL);
    } else {
        must_mount("tmpfs", "/writable", "tmpfs", 0, "mode=0755");
    }
    int directory = open("/writable", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) die("cannot open the writable layer: %s", strerror(errno));
    grow_open(directory, on_disk ? disk : NULL);
    freeze_open(directory, on_disk);
    metrics_open(directory);
}

static void mount_image(void) {
    char disk[32];
    if (!disk_find_image(disk)) die("there is no root disk");
    must_mount(disk, "/image", "erofs", MS_RDONLY, NULL);
    mount_writable();
    /* An overlay's root has the mode and the owner of its upper directory. */
    struct stat status;
    mkdir("/writable/upper", 0755);
    mkdir("/writable/work", 0755);
    if (stat("/image", &status) != 0 || chown("/writable/upper", status.st_uid, status.st_gid) != 0 ||
        chmod("/writable/upper", status.st_mode & 07777) != 0) {
        die("cannot prepare the overlay: %s", strerror(errno));
    }
    must_mount("overlay", "/root", "overlay", 0, "lowerdir=/image,upperdir=/writable/upper,workdir=/writable/work");
    int upper = open("/writable/upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (upper < 0) die("cannot open the overlay's upper directory: %s", strerror(errno));
    changes_open(upper);
}

/* Unlinks the files of the initramfs, whose memory is free then. Does not leave its file system, nor does it follow
 * links; the tree is flat but for its modules. */
static void remove_tree(int directory, dev_t device) {
    DIR *stream = fdopendir(directory);
    if (stream == NULL) return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_dev != device) continue;
        if (S_ISDIR(status.st_mode)) {
            int child = openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (child >= 0) remove_tree(child, device);
        } else {
            unlinkat(dirfd(stream), entry->d_name, 0);
        }
    }
    closedir(stream);
}

static void move(const char *name) {
    char target[32];
    snprintf(target, sizeof target, "/root%s", name);
    mkdir(target, 0755);
    if (mount(name, target, NULL, MS_MOVE, NULL) != 0) die("cannot move %s: %s", name, strerror(errno));
}

static void change_root(void) {
    int old = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;
    bool in_memory = old >= 0 && fstat(old, &status) == 0;
    if (chdir("/root") != 0 || mount(".", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0 || chdir("/") != 0) {
        die("cannot change the root: %s", strerror(errno));
    }
    if (in_memory) remove_tree(old, status.st_dev);
}

static void complete_dev(void) {
    static const char *const links[][2] = {
        {"/proc/self/fd", "/dev/fd"},
        {"/proc/self/fd/0", "/dev/stdin"},
        {"/proc/self/fd/1", "/dev/stdout"},
        {"/proc/self/fd/2", "/dev/stderr"},
    };
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        if (symlink(links[i][0], links[i][1]) != 0 && errno != EEXIST) log_line("cannot link %s", links[i][1]);
    }
    may_mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=0620,gid=5,ptmxmode=0666");
    terminals_open();
    may_mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
    may_mount("mqueue", "/dev/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static void loopback_up(void) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0) log_line("no loopback: %s", strerror(errno));
    if (fd >= 0) close(fd);
}

void root_switch(void) {
    mount_image();
    move("/dev");
    move("/sys");
    move("/proc");
    change_root();
    complete_dev();
    may_mount("cgroup2", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    mkdir("/run", 0755);
    if (mkdir("/tmp", 01777) == 0) chmod("/tmp", 01777);
    loopback_up();
}
