/* What may block, because the guest's files or its disk are in it, is done by a child of the agent; the answer follows
 * when it has ended. One of each kind at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum task_kind { TASK_CONFIGURE, TASK_FREEZE, TASK_THAW, TASK_GROW, TASKS };

bool task_runs(enum task_kind kind);

/* The work returns if all went well, or gives up with spawn_give_up; after so many milliseconds it is killed. Then
 * `finished` is called in the agent, and the request answered, unless the port is NO_PORT. False: no process. */
bool task_begin(enum task_kind kind, int port, uint32_t request, void (*work)(void), int milliseconds,
                void (*finished)(bool good));

/* The same by a child that shares the agent's memory, like that of an execution (child.h): the work keeps to its stack of 16 KiB,
 * asks the kernel by raw.h, and gives up with child_give_up. */
bool task_begin_sharing(enum task_kind kind, int port, uint32_t request, void (*work)(void), int milliseconds,
                        void (*finished)(bool good));

/* Whether the process was a task. */
bool task_ended(pid_t pid, int status);

/* Ends what takes too long, and answers. */
void tasks_pump(void);

int64_t tasks_deadline(void);
