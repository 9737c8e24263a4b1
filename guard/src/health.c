#include "health.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fail.h"
#include "timers.h"

/* Its tests are in a hurry. */
#ifndef SECOND_MS
#define SECOND_MS 1000
#endif

enum {
    LOOK_MS = 20 * SECOND_MS,       /* while all is well */
    HALTED_LOOK_MS = 5 * SECOND_MS, /* while the disk has failed */
    RARE = 6,                       /* every so many looks, what is tried without knowing that it helps */
    SILENT_MS = 100 * SECOND_MS,
    WISH_MS = 1 * SECOND_MS, /* while a process has the monitor that halts or captures the guest */
};

/* A guest goes on with so much room, or with a twentieth of a smaller file system. */
static const int64_t ROOM = 256 << 20;

/* There from the start, so that the note needs no space on a disk that is full: it is renamed. */
static const char *const NOTES[] = {
    [DISK_FINE] = "disk-fine",
    [DISK_FULL] = "disk-full",
    [DISK_QUOTA] = "disk-full",
    [DISK_ERROR] = "disk-error",
};

static const char SILENT[] = "silent";

/* From who started it; it becomes the other one, and that needs no space either. */
static const char HOLD[] = "hold-at-limit";
static const char HELD[] = "at-limit";

static bool exists(const struct health *h, const char *note) {
    return faccessat(h->directory, note, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void create(const struct health *h, const char *note) {
    int fd = openat(h->directory, note, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
}

static void set_trouble(struct health *h, enum disk_trouble trouble) {
    const char *before = NOTES[h->trouble];
    const char *after = NOTES[trouble];
    h->trouble = trouble;
    if (before != after && renameat(h->directory, before, h->directory, after) != 0) create(h, after);
}

static void set_silent(struct health *h, bool silent) {
    if (silent == h->silent) return;
    h->silent = silent;
    if (silent) create(h, SILENT);
    else unlinkat(h->directory, SILENT, 0);
}

static int64_t period(const struct health *h) {
    if (h->wish != NO_WISH) return WISH_MS;
    return h->trouble == DISK_FINE ? LOOK_MS : HALTED_LOOK_MS;
}

void health_open(struct health *h, int directory, const char *disk, const struct reserve *reserve) {
    h->directory = directory;
    h->reserve = *reserve;
    h->timer = h->lock = h->monitor.fd = h->monitor.program_end = h->disk = -1;
    if (disk == NULL) return;
    h->disk = open(disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (h->disk < 0) fail("cannot open %s: %s", disk, strerror(errno));
    for (enum disk_trouble t = DISK_FULL; t <= DISK_ERROR; t++) unlinkat(directory, NOTES[t], 0);
    unlinkat(directory, SILENT, 0);
    unlinkat(directory, HELD, 0);
    create(h, NOTES[DISK_FINE]);
    monitor_open(&h->monitor);
    h->timer = timer_open(0);
}

void health_begin(struct health *h, pid_t program) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)program);
    h->program = open(path, O_RDONLY | O_CLOEXEC);
    if (h->timer >= 0) timer_set(h->timer, period(h));
}

static void ask(struct health *h, enum question question, const char *command) {
    /* What QEMU does not even read it has not answered either. */
    (void)monitor_send(&h->monitor, command);
    h->question = question;
    h->unanswered_ms = 0;
}

static void unlock(struct health *h) {
    if (h->lock >= 0) close(h->lock);
    h->lock = -1;
}

/* Who halts the guest or lets it go on holds this lock; so it is known what is wanted of it. */
static bool lock(struct health *h) {
    h->lock = openat(h->directory, "qmp.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (h->lock >= 0 && flock(h->lock, LOCK_EX | LOCK_NB) == 0) return true;
    unlock(h);
    return false;
}

/* Beside what the reserve lacks, so that what a command takes of it has no guest go on. */
static bool has_room(const struct health *h) {
    struct statvfs fs;
    if (fstatvfs(h->disk, &fs) != 0) return true; /* then it is tried */
    int64_t part = (int64_t)(fs.f_blocks / 20 * fs.f_frsize);
    return reserve_spares(&h->reserve, h->disk) >= (part < ROOM ? part : ROOM);
}

/* Whether a process halted the guest meanwhile, or must not find it running. */
static bool is_held(const struct health *h) {
    return h->held || exists(h, "paused") || exists(h, "held") || exists(h, "capturing") || exists(h, "image-aside");
}

static void failed(struct health *h, enum disk_trouble trouble) {
    bool was_fine = h->trouble == DISK_FINE;
    if (h->went_on) h->reluctant = true;
    h->went_on = false;
    h->looks = 0;
    set_trouble(h, trouble);
    if (was_fine) timer_set(h->timer, period(h));
}

static void went_on(struct health *h) {
    if (h->trouble == DISK_FINE) return;
    h->went_on = true;
    timer_set(h->timer, period(h));
}

/* As soon as nothing else is asked and no process has the monitor; a look tries again. */
static void pursue(struct health *h) {
    if (h->wish == NO_WISH || h->question != NOTHING || h->monitor.fd < 0 || !lock(h)) return;
    ask(h, h->wish == TO_HALT ? STATUS_TO_HALT : STATUS_TO_RELEASE, "query-status");
}

static void halted(struct health *h, bool ran) {
    h->ran = ran;
    h->wish = NO_WISH;
    if (!h->held) renameat(h->directory, HOLD, h->directory, HELD);
    h->held = true;
}

static void released(struct health *h) {
    h->wish = NO_WISH;
    h->held = h->ran = false;
    renameat(h->directory, HELD, h->directory, HOLD);
}

/* The answer to what was asked for the sake of its limit. Returns whether there is more to ask. */
static bool answered_limit(struct health *h, enum question question, const struct qmp_message *message) {
    if (question == STATUS_TO_HALT && h->wish == TO_HALT) {
        if (message->running) {
            ask(h, HALT, "stop");
            return true;
        }
        halted(h, h->held && h->ran);
    }
    if (question == HALT && message->kind == QMP_RETURN) {
        /* It may be wanted otherwise by now. */
        enum wish since = h->wish;
        halted(h, true);
        if (since == TO_RELEASE) h->wish = since;
    }
    if (question == STATUS_TO_RELEASE && h->wish == TO_RELEASE) {
        bool goes_on = h->ran && !message->running && !message->halted_by_disk;
        released(h);
        if (goes_on && !is_held(h)) {
            ask(h, GO_ON, "cont");
            return true;
        }
    }
    return false;
}

static void answered(struct health *h, const struct qmp_message *message) {
    enum question question = h->question;
    h->question = NOTHING;
    h->begun = true;
    set_silent(h, false);
    h->lost = message->lost;
    if (message->running) went_on(h);
    if (question == STATUS_TO_GO_ON && h->lock >= 0 && message->halted_by_disk && !is_held(h)) {
        ask(h, GO_ON, "cont");
        return;
    }
    if (question == STATUS_TO_BEGIN && message->waiting) {
        ask(h, GO_ON, "cont");
        return;
    }
    if (answered_limit(h, question, message)) return;
    unlock(h);
    /* What it refuses is not asked again at once. */
    if (question != HALT) pursue(h);
}

static void gone(struct health *h) {
    monitor_close(&h->monitor);
    unlock(h);
    h->question = NOTHING;
    health_end(h);
}

static void hear(struct health *h, const struct qmp_message *message) {
    switch (message->kind) {
        case QMP_BROKEN: gone(h); return;
        case QMP_GREETING:
            if (h->question == NOTHING) ask(h, CAPABILITIES, "qmp_capabilities");
            return;
        case QMP_IO_ERROR: failed(h, message->trouble); return;
        case QMP_STOP:
            if (h->question == NOTHING) ask(h, STATUS, "query-status");
            return;
        case QMP_RESUME:
            went_on(h);
            /* A process had it go on that knew nothing of its limit. */
            if (h->held && h->wish == NO_WISH) health_hold(h);
            return;
        case QMP_RETURN:
        case QMP_REFUSED: answered(h, message); return;
        case QMP_OTHER: return;
    }
}

bool health_may_hold(const struct health *h) {
    return h->monitor.fd >= 0 && h->begun && exists(h, HOLD);
}

static void want(struct health *h, enum wish wish) {
    h->wish = wish;
    pursue(h);
    if (h->wish != NO_WISH) timer_set(h->timer, period(h));
}

void health_hold(struct health *h) { want(h, TO_HALT); }

void health_release(struct health *h) { want(h, TO_RELEASE); }

void health_begin_guest(struct health *h) {
    ask(h, STATUS_TO_BEGIN, "query-status");
}

bool health_hear(struct health *h) {
    struct qmp_message message;
    h->lost = false;
    bool there = monitor_fill(&h->monitor);
    while (h->monitor.fd >= 0 && !h->lost && monitor_next(&h->monitor, &message)) hear(h, &message);
    if (!there) gone(h);
    return !h->lost;
}

static void look_at_disk(struct health *h) {
    bool rare = ++h->looks % RARE == 0;
    if (h->went_on) {
        h->reluctant = h->went_on = false;
        set_trouble(h, DISK_FINE);
        return;
    }
    bool may_go_on = h->trouble == DISK_QUOTA || h->reluctant ? rare : h->trouble == DISK_FULL;
    may_go_on = may_go_on && h->trouble != DISK_ERROR && (h->trouble == DISK_QUOTA || has_room(h));
    /* The guest may fill all that there is, so the reserve gets its part before. */
    if (may_go_on && reserve_make_whole(&h->reserve, h->disk) && lock(h)) {
        ask(h, STATUS_TO_GO_ON, "query-status");
    } else if (rare) {
        ask(h, STATUS, "query-status");
    }
}

/* The state of the program's main thread, the field after its name in brackets; 0 if it cannot be read. */
static char main_thread(int program) {
    char stat[512];
    ssize_t n = pread(program, stat, sizeof stat - 1, 0);
    if (n <= 0) return 0;
    stat[n] = '\0';
    const char *bracket = strrchr(stat, ')');
    return bracket != NULL && bracket[1] == ' ' ? bracket[2] : 0;
}

bool health_look(struct health *h) {
    oom_look(h->oom, h->directory);
    int64_t since = period(h);
    bool dead = main_thread(h->program) == 'Z';
    if (dead && h->dying) return false;
    h->dying = dead;
    if (h->monitor.fd >= 0) {
        if (h->question != NOTHING) {
            h->unanswered_ms += since;
            unlock(h);
            if (h->unanswered_ms >= SILENT_MS) set_silent(h, true);
        } else if (h->wish != NO_WISH) {
            pursue(h);
        } else if (h->trouble != DISK_FINE) {
            look_at_disk(h);
        } else {
            ask(h, STATUS, "query-status");
        }
    }
    timer_set(h->timer, dead ? HALTED_LOOK_MS : period(h));
    return true;
}

void health_end(struct health *h) {
    if (h->timer < 0) return;
    set_silent(h, false);
    set_trouble(h, DISK_FINE);
}
