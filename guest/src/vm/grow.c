#include "vm/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/report.h"
#include "process/task.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "vm/freeze.h"
#include "wire/frame.h"
#include "wire/port.h"

/* From the kernel's fs/ext4/ext4.h; the number is one of blocks. */
#define EXT4_IOC_RESIZE_FS _IOW('f', 16, uint64_t)

enum { GROW_MS = 30000, NEWS_MS = 5000 };

static int layer = -1, disk = -1;
static uint64_t wanted;

static uint64_t disk_bytes(void) {
    uint64_t bytes = 0;
    return ioctl(disk, BLKGETSIZE64, &bytes) == 0 ? bytes : 0;
}

/* statfs leaves out what ext4 keeps for itself, so the wish may be for the size that it has; that is no work. */
static bool fill(uint64_t bytes) {
    struct statfs status;
    if (fstatfs(layer, &status) != 0) return false;
    uint64_t blocks = bytes / (uint64_t)status.f_bsize;
    return blocks <= status.f_blocks || ioctl(layer, EXT4_IOC_RESIZE_FS, &blocks) == 0;
}

void grow_open(int directory, const char *path) {
    if (path == NULL) return;
    layer = directory;
    disk = open(path, O_RDONLY | O_CLOEXEC);
    if (disk < 0 || !fill(disk_bytes())) log_line("cannot grow the writable layer: %s", strerror(errno));
}

/* In a child. The kernel hears of a new size by an interrupt, and takes it over in a work item of its own. */
static void grow(void) {
    static const struct timespec pause = {.tv_nsec = 2000000};
    int64_t until = now_ms() + NEWS_MS;
    while (disk_bytes() < wanted) {
        if (now_ms() > until) spawn_give_up(INTERNAL, "The disk has not grown.");
        nanosleep(&pause, NULL);
    }
    if (!fill(wanted)) spawn_give_up(INTERNAL, "The file system could not be grown: %s.", strerror(errno));
}

static void grown(bool good) { (void)good; }

int grow_begin(int port, uint32_t request, uint64_t bytes, const char **sentence) {
    *sentence = "The writable layer is not on a disk.";
    if (disk < 0) return UNSUPPORTED;
    *sentence = "The guest's disk is frozen.";
    if (freeze_is_on()) return FROZEN;
    *sentence = "The agent could not create a process.";
    wanted = bytes;
    return task_begin(TASK_GROW, port, request, grow, GROW_MS, grown) ? 0 : OUT_OF_RESOURCES;
}

/* By its descriptor, because the mount has no path any more: the agent's root was moved over it. */
void grow_end(void) {
    if (disk < 0) return;
    int context = (int)syscall(SYS_fspick, layer, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);
    if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_SET_FLAG, "ro", NULL, 0) != 0 ||
        syscall(SYS_fsconfig, context, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) != 0) {
        log_line("the writable layer is left to its journal: %s", strerror(errno));
    }
}
