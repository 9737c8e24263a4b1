#include "shutdown.h"

#include <errno.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "bytes.h"
#include "children.h"
#include "clock.h"
#include "execution.h"
#include "freeze.h"
#include "grow.h"
#include "log.h"
#include "loop.h"
#include "port.h"

enum { REASON_REQUESTED = 1, REASON_MAIN_ENDED = 2 };

/* How long killed processes may take to go, and hosts to take what is left to say. */
enum { KILL_MS = 2000, FAREWELL_MS = 500 };

static enum { NOT_BEGUN, TERMINATING, KILLING } state;
static int64_t deadline = INT64_MAX;
static uint32_t reason, main_kind, main_value, stubborn;
static int goodbye = -1;

/* Blocking, unlike the others: the kernel then returns from a write only when the host has taken the bytes, so the last
 * words are out before the power is off. The guard always reads. */
void goodbye_open(int fd) { goodbye = fd; }

bool goodbye_is_open(void) { return goodbye >= 0; }

bool shutdown_begun(void) { return state != NOT_BEGUN; }

int64_t shutdown_deadline(void) { return deadline; }

static void begin_killing(void) {
    state = KILLING;
    deadline = now_ms() + KILL_MS;
    kill(-1, SIGKILL);
    children_reap();
}

void shutdown_requested(uint32_t grace_ms) {
    int64_t until = now_ms() + grace_ms;
    if (state == NOT_BEGUN) {
        reason = REASON_REQUESTED;
        state = TERMINATING;
        executions_signal_all(SIGTERM);
    }
    if (state == TERMINATING && until < deadline) deadline = until;
}

void shutdown_main_ended(uint32_t kind, uint32_t value) {
    if (state != NOT_BEGUN) return;
    reason = REASON_MAIN_ENDED;
    main_kind = kind;
    main_value = value;
    begin_killing();
}

/* Innermost first. The root cannot go, because the agent stands on it; it is made read-only. */
static void unmount_all(void) {
    enum { MOUNTS_MAX = 256 };
    static char paths[MOUNTS_MAX][256];
    int count = 0;
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    if (mounts != NULL) {
        struct mntent *mount;
        while (count < MOUNTS_MAX && (mount = getmntent(mounts)) != NULL) {
            if (strlen(mount->mnt_dir) < sizeof *paths) strcpy(paths[count++], mount->mnt_dir);
        }
        endmntent(mounts);
    }
    while (count-- > 0) {
        if (strcmp(paths[count], "/") != 0) umount2(paths[count], UMOUNT_NOFOLLOW);
    }
    mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL);
}

__attribute__((noreturn)) static void power_off(void) {
    freeze_end();
    sync();
    unmount_all();
    grow_end();
    uint8_t payload[12], bytes[FRAME_HEADER + sizeof payload + FRAME_SEAL];
    put32(payload, reason);
    put32(payload + 4, main_kind);
    put32(payload + 8, reason == REASON_REQUESTED ? stubborn : main_value);
    struct frame frame = {.type = GOODBYE, .length = sizeof payload, .payload = payload};
    ports_farewell(&frame, FAREWELL_MS);
    uint32_t seal = frame_header(bytes, &frame);
    memcpy(bytes + FRAME_HEADER, payload, sizeof payload);
    put32(bytes + FRAME_HEADER + sizeof payload, seal);
    if (goodbye >= 0 && write(goodbye, bytes, sizeof bytes) != sizeof bytes) log_line("no goodbye: %s", strerror(errno));
    reboot(RB_AUTOBOOT);
    for (;;) pause();
}

void shutdown_step(void) {
    if (state == TERMINATING) {
        stubborn = executions_running();
        if (stubborn == 0 || now_ms() >= deadline) begin_killing();
    }
    if (state == KILLING && ((children_none() && !executions_pending()) || now_ms() >= deadline)) power_off();
}
