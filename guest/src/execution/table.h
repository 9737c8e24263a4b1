/* The table of executions: one slot each, from EXEC until no host can ask for it any more. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "execution/input.h"
#include "execution/output.h"
#include "process/report.h"
#include "wire/request.h"

enum { EXECUTIONS_MAX = 1024, PROGRAM_MAX = 256 };

struct execution {
    uint32_t id; /* 0: the slot is free */
    pid_t pid;
    int port;             /* NO_PORT: unattached */
    uint8_t taken_over;   /* a bit for each port that is still to be told DETACHED */
    uint32_t request;     /* for STARTED or FAILED */
    uint32_t flags;       /* as in EXEC */
    int stop_signal;      /* asks it to end, and leaves to it what it has started; 0: SIGTERM, as for all others */
    bool file;            /* a file operation, which ends with its port; no host can attach to it later */
    bool watch;           /* one that lasts until its host has enough */
    struct child_memory *memory; /* its child's until it executes or ends; NULL: none */
    int report;           /* tells whether exec worked; -1: it has told */
    bool announced;       /* STARTED or FAILED was said */
    bool ended;           /* the process was reaped */
    bool said_exited;     /* to the host that is attached */
    uint64_t kept;        /* a plain one that has ended unattached: its turn to be forgotten; 0: not so */
    int status;
    uint64_t started_at;  /* nanoseconds since 1970 */
    uint64_t ended_at;
    int terminal;         /* the master's descriptor for settings; -1: none */
    char program[PROGRAM_MAX + 1];
    char key[KEY_MAX + 1]; /* empty: none */
    struct spawn_failure failure; /* code 0: none */
    struct input input;
    struct output outputs[2];
};

bool execution_is_init(const struct execution *execution);

/* As in EXITED, of what waitpid told. */
uint32_t exit_kind(int status);
uint32_t exit_value(int status);

struct execution *table_find(uint32_t id);

/* One that a host may name: it runs or ran, and its STARTED was sent. */
struct execution *table_find_started(uint32_t id);

/* The same, but for file operations. */
struct execution *table_find_lasting(uint32_t id);

/* The one that was started with this key. */
struct execution *table_find_key(const char *key);

/* A slot with a new id; NULL if all are taken. */
struct execution *table_add(void);

void table_remove(struct execution *execution);

/* The slots that may be taken are those below it. */
int table_end(void);

/* NULL if the slot is free. */
struct execution *table_at(int slot);
