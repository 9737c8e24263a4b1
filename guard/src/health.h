/* Health checks of the program, which is QEMU: hear on its monitor that its disk has failed, have it go on when there is
 * space again, halt it at its limit, and notice when it no longer answers. They leave notes in the VM's directory
 * (docs/guard.md). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "monitor.h"
#include "oom.h"
#include "reserve.h"

/* What was asked last and is not answered yet. */
enum question { NOTHING, CAPABILITIES, STATUS, STATUS_TO_BEGIN, STATUS_TO_GO_ON, STATUS_TO_HALT, STATUS_TO_RELEASE, HALT, GO_ON };

/* What is wanted of the guest because of its limit, and not reached yet. */
enum wish { NO_WISH, TO_HALT, TO_RELEASE };

struct health {
    struct monitor monitor;
    int directory;
    int disk;  /* a directory on the file system of the disk */
    struct reserve reserve;
    int timer; /* of the next look; -1: the program has no monitor */
    int lock;  /* qmp.lock, while it is held; -1 */
    int program; /* its file stat of /proc */
    struct oom *oom;
    enum question question;
    int64_t unanswered_ms; /* how long the question is open, by looks that came */
    bool silent;
    enum disk_trouble trouble;
    bool went_on;   /* since it was halted, and has not failed again */
    bool reluctant; /* it had room, went on and failed again: it is tried less often */
    int looks;      /* since it was halted, or tried */
    bool dying;     /* its main thread had ended at the last look */
    bool lost;      /* its guest cannot go on */
    bool begun;     /* its main loop runs: it has answered */
    enum wish wish;
    bool held; /* halted at its limit */
    bool ran;  /* when it was halted for that */
};

/* Does nothing but to note that there is none, without a disk directory. Ends the guard with a sentence on failure. */
void health_open(struct health *health, int directory, const char *disk, const struct reserve *reserve);

/* The program runs, and has its end of the monitor. */
void health_begin(struct health *health, pid_t program);

/* Has a guest begin that waits for it; one that is restored waits for its memory, and its owner has it go on. */
void health_begin_guest(struct health *health);

/* The monitor is readable. False if KVM has given the guest up: it stays halted for ever, also after a command to go on. */
bool health_hear(struct health *health);

/* It is time for a look. False if the program's main thread is no more, although others of its threads are: it never ends by
 * itself then. */
bool health_look(struct health *health);

/* Whether the guest is to be halted at its limit, and can be asked to. */
bool health_may_hold(const struct health *health);

/* Has the guest halted at its limit: `held` says when it is. */
void health_hold(struct health *health);

/* Has the guest go on that was halted at its limit, or was to be; not if it is halted for another reason too. */
void health_release(struct health *health);

/* Takes back the notes. */
void health_end(struct health *health);
