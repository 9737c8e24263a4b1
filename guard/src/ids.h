/* A user of its own for a program that root starts: all of root's processes are one user's otherwise. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Takes the id of a user and a group that no program of another guard of this host has, for as long as this guard lives. Answers 0
 * where the guard is not root's: its programs are the user's. Where it is and there is none to be had, `missing` says why. */
uid_t ids_take(const char **missing);

/* In the namespace of users that `child` is in: it is root there, and may become `id`. False with errno. */
bool ids_map(pid_t child, uid_t id);

/* In the child: becomes the user for ever. False with errno. */
bool ids_become(uid_t id);
