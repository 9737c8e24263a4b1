/* Finding and executing a command. Used in the child (child.h). */
#pragma once

#include "wire/request.h"

/* Searches the PATH of the command's environment, or a usual one if that has none. Ends the child with a report if
 * the command cannot be executed. */
__attribute__((noreturn)) void command_execute(const struct exec_request *command);
