/* A wall by Landlock, which a process builds around itself: files, and by newer kernels TCP, abstract sockets and signals. Beside
 * the other walls, and never required. */
#pragma once

#include "grants.h"

/* Leaves the caller what is granted and what it needs to become the program, from now on. Without Landlock it does nothing. */
void landlock_confine(const struct grants *grants, const char *program);
