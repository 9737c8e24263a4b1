/* Answers the calls that QEMU's filter asks about: opens what is granted, refuses the rest and notes it. A thread of its own,
 * so that QEMU waits for nothing else that the guard does. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "grants.h"
#include "wall.h"

struct broker_start {
    int listener;  /* of the filter; the broker closes it */
    int directory; /* the VM's, for what is noted there */
    const struct grants *grants; /* stays as it is from now on */
    bool recording; /* calls that are not known, and reach nothing, are noted and let through */
    bool alarm_ends; /* the first call that is refused is enough for the alarm */
};

/* False with errno. */
bool broker_begin(const struct broker_start *start);

/* Puts the threads that answer behind a wall, and returns when they are; `program` is the one whose memory they read, by a descriptor
 * that is opened before. */
void broker_enter(const struct wall *wall, pid_t program);

/* From now on files of its own are refused too: it has opened what it needs to begin. */
void broker_seal(void);

/* A descriptor that is readable once QEMU was refused too much; -1 where it has no broker. */
int broker_alarm(void);
