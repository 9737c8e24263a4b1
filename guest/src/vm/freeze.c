#include "vm/freeze.h"

#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "process/report.h"
#include "process/task.h"
#include "sys/clock.h"
#include "wire/frame.h"
#include "wire/port.h"

enum { THAW_MS = 10000, THAW_AGAIN_MS = 1000 };

static int layer = -1;
static bool disk, frozen;
static int64_t until = INT64_MAX;
static uint32_t wanted_ms;

void freeze_open(int directory, bool on_disk) {
    layer = directory;
    disk = on_disk;
}

bool freeze_is_on(void) { return frozen || task_runs(TASK_FREEZE) || task_runs(TASK_THAW); }

static void freeze(void) {
    if (ioctl(layer, FIFREEZE, 0) != 0 && errno != EBUSY) {
        spawn_give_up(INTERNAL, "The disk could not be frozen: %s.", strerror(errno));
    }
}

static void thaw(void) {
    if (ioctl(layer, FITHAW, 0) != 0 && errno != EINVAL) {
        spawn_give_up(INTERNAL, "The disk could not be thawed: %s.", strerror(errno));
    }
}

/* Also when it has failed: a child that was given up on may still come to its end, so a thaw follows in any case. */
static void has_frozen(bool good) {
    frozen = true;
    until = good ? now_ms() + wanted_ms : now_ms();
}

static void has_thawed(bool good) {
    frozen = !good;
    until = good ? INT64_MAX : now_ms() + THAW_AGAIN_MS;
}

int freeze_begin(int port, uint32_t request, uint32_t milliseconds, bool *begun, const char **sentence) {
    *sentence = "The agent could not create a process.";
    *begun = disk;
    if (!disk) return 0;
    wanted_ms = milliseconds;
    return task_begin(TASK_FREEZE, port, request, freeze, (int)milliseconds, has_frozen) ? 0 : OUT_OF_RESOURCES;
}

int thaw_begin(int port, uint32_t request, bool *begun, const char **sentence) {
    *sentence = "The agent could not create a process.";
    *begun = frozen;
    if (!frozen) return 0;
    return task_begin(TASK_THAW, port, request, thaw, THAW_MS, has_thawed) ? 0 : OUT_OF_RESOURCES;
}

void freeze_pump(void) {
    bool begun;
    const char *sentence;
    if (!frozen || now_ms() < until || task_runs(TASK_FREEZE) || task_runs(TASK_THAW)) return;
    if (thaw_begin(NO_PORT, 0, &begun, &sentence) != 0) until = now_ms() + THAW_AGAIN_MS;
}

int64_t freeze_deadline(void) { return frozen && !task_runs(TASK_THAW) ? until : INT64_MAX; }

void freeze_end(void) {
    if (frozen) ioctl(layer, FITHAW, 0);
}
