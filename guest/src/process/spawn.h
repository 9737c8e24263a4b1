/* Making the process of an execution. All that may block or fail on the image's behalf (its passwd file, its
 * directories, its executables) happens in the child, which reports; the agent never waits for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/child_memory.h"
#include "wire/file_request.h"
#include "wire/request.h"

struct spawned {
    pid_t pid;
    int report;
    int input; /* -1: its stdin is /dev/null */
    int outputs[2]; /* the second is -1 where there is a terminal */
    struct child_memory *memory; /* its child's until it executes or ends; NULL: none */
    int terminal; /* the master, also behind input and output; -1: none */
};

/* All descriptors are the agent's ends, non-blocking. */
bool spawn(const struct exec_request *command, struct spawned *spawned);

/* The same for a FILE, whose child is a copy of the agent that does the operation itself. */
bool spawn_file_operation(const struct file_request *request, struct spawned *spawned);
