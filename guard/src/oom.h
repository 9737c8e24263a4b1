/* Whom the kernel ends first where the host's memory runs out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct oom {
    int file;      /* the program's oom_score_adj; -1: it is left as it is, or needs no further change */
    int64_t score; /* as soon as it is no entry of a pool */
};

/* Gives the program a score, of which an entry of a pool has a higher one first. Before the guard is confined. */
struct oom oom_begin(pid_t program, int64_t score, bool pooled);

/* Looks whether the entry is claimed; `directory` is the VM's. */
void oom_look(struct oom *oom, int directory);
