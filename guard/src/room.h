/* Namespaces with nothing in them but the program. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Forks into namespaces of their own: user, mount, pid, network, IPC, host name and control groups. As fork(2); -1 where the
 * host does not let this user. The child may become the user `own`, if that is not 0. */
pid_t room_fork(uid_t own);

/* In the child: makes a root that has nothing but the program (an absolute path) and what loads it, and goes there; `place` is a
 * directory that may be mounted over. Answers the program's path in there; NULL with errno. */
const char *room_enter(const char *place, const char *program);
