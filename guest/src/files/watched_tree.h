/* The directories that a WATCH has watches on, by the number of the watch. Each knows its name and the directory that it is in, so
 * that a rename changes one of them. Pure. */
#pragma once

#include <stdbool.h>

#include "files/path_stack.h"

enum { WATCHED_MAX = 8192, WATCHED_NONE = -1 };

/* Forgets all. */
void watched_clear(void);

/* Answers its place, or WATCHED_NONE if there are too many or there is no memory. The name is copied; the first has no parent. */
int watched_add(int watch, int parent, const char *name);

/* Each answers a place, or WATCHED_NONE. */
int watched_find(int watch);
int watched_child(int parent, const char *name);

/* The path of a name in it, relative to the first. False if it would be longer or deeper than a name may be. */
bool watched_path(int place, const char *name, struct path_stack *path);

/* Forgets it and all below it; `gone` is told the number of each watch. */
void watched_remove(int place, void (*gone)(int watch));
