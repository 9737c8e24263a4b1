/* The walls around the program; docs/security.md says what they hold. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "grants.h"
#include "rights.h"

enum level {
    LEVEL_NONE,    /* none is asked for */
    LEVEL_REDUCED, /* no capabilities, limits */
    LEVEL_SEALED,  /* and a filter of system calls, whose files the guard opens */
    LEVEL_FULL,    /* and namespaces with nothing in them */
};

/* What is wanted of it. */
struct jail {
    enum level least;
    enum level most;
    bool recording; /* calls that the filter does not know are let through, and noted */
    bool alarm_ends; /* the first call that is refused ends the program */
    struct limits limits;
    struct grants grants;
};

const char *level_name(enum level level);

/* The least level by its name; LEVEL_NONE if there is none of that name. "auto" is the lowest. */
enum level level_of(const char *name);

/* One end of the conversation between the guard and the child that becomes the program. */
struct jail_report {
    bool wall;      /* of an error: a wall could not be built */
    int error;
    char what[64];
};

/* Forks the child for a level, which is to become the user `own`, if that is not 0; -1 with errno. */
pid_t jail_fork(enum level level, uid_t own);

/* In the child: builds the walls and becomes the program; returns with `report` filled only if that fails. `talk` is its end of a
 * pair of sockets, closed by the execution. `place` is a directory that can be mounted over. */
void jail_execute(const struct jail *jail, enum level level, uid_t own, const char *place, char **program, int talk,
                  struct jail_report *report);

/* In the guard: hears the child until it has become the program, and answers its calls from then on. False with `report` filled if
 * it failed. `directory` is the VM's. */
bool jail_accompany(const struct jail *jail, int directory, int talk, struct jail_report *report);
