/* The guard's own monitor of QEMU: one question at a time, answers and events. QEMU is not trusted: it may be broken, or its
 * guest may have broken out into it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "qmp.h"

enum { MONITOR_LINE_MAX = 64 * 1024 };

struct monitor {
    int fd;          /* ours, non-blocking; -1: there is none, or no longer */
    int program_end; /* the program's, until it has it; -1 */
    size_t filled;
    char line[MONITOR_LINE_MAX];
};

/* Makes the connection; ends the guard with a sentence on failure. */
void monitor_open(struct monitor *monitor);

/* Sends a command without arguments. False if QEMU does not take it; the monitor is closed then, if it was cut in two. */
bool monitor_send(struct monitor *monitor, const char *command);

/* Reads what is there, up to one buffer, and answers whether there may be whole lines; false at the end, or after a line
 * without end: the monitor is closed then. */
bool monitor_fill(struct monitor *monitor);

/* Takes the next whole line; false if there is none. */
bool monitor_next(struct monitor *monitor, struct qmp_message *message);

void monitor_close(struct monitor *monitor);
