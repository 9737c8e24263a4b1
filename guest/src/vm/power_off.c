#include "vm/power_off.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "sys/log.h"
#include "vm/freeze.h"
#include "vm/grow.h"
#include "wire/bytes.h"
#include "wire/port.h"

/* How long hosts may take for what is left to say. */
enum { FAREWELL_MS = 500 };

static int goodbye = -1;

/* Blocking, unlike the others: the kernel then returns from a write only when the host has taken the bytes, so the last
 * words are out before the power is off. The guard always reads. */
void goodbye_open(int fd) { goodbye = fd; }

bool goodbye_is_open(void) { return goodbye >= 0; }

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

static void say_goodbye(const struct last_words *words) {
    uint8_t payload[16], bytes[FRAME_HEADER + sizeof payload + FRAME_SEAL];
    bool without_main = words->reason == REASON_REQUESTED;
    uint32_t length = words->reason == REASON_REQUESTED_WITH_MAIN ? 16 : 12;
    put32(payload, words->reason);
    put32(payload + 4, without_main ? 0 : words->kind);
    put32(payload + 8, without_main ? words->killed : words->value);
    put32(payload + 12, words->killed);
    struct frame frame = {.type = GOODBYE, .length = length, .payload = payload};
    ports_farewell(&frame, FAREWELL_MS);
    uint32_t seal = frame_header(bytes, &frame);
    memcpy(bytes + FRAME_HEADER, payload, length);
    put32(bytes + FRAME_HEADER + length, seal);
    size_t size = FRAME_HEADER + length + FRAME_SEAL;
    if (goodbye >= 0 && write(goodbye, bytes, size) != (ssize_t)size) log_line("no goodbye: %s", strerror(errno));
}

void power_off(const struct last_words *words) {
    freeze_end();
    sync();
    unmount_all();
    grow_end();
    say_goodbye(words);
    reboot(RB_AUTOBOOT);
    for (;;) pause();
}
