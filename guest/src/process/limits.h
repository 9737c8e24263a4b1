/* The resource limits of a command. Used in the child (child.h): what fails ends it with a report. */
#pragma once

#include "wire/request.h"

void limits_set(const struct exec_request *command);
