/* Connecting to a Unix socket by its path: in a child, because the path may lead into a mount that does not answer, and
 * because the socket's owner sees which user connects. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/report.h"

struct path_opening {
    pid_t pid;   /* 0: reaped */
    int channel; /* -1: it has told */
};

/* False: no process. The path is tried again until so many milliseconds have passed. */
bool open_path_begin(const char *path, const char *user, uint32_t patience, struct path_opening *opening);

/* Whether the child has told: a connected socket, or -1 with why. */
bool open_path_ended(int channel, int *fd, struct spawn_failure *failure);
