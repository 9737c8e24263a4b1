/* Which files the guard itself may reach once it has started everything: Landlock, where the kernel has it. */
#pragma once

#include "options.h"

/* Puts all threads of the guard behind it. What the program's memory is read by is opened before. */
void territory_enter(const struct options *options, pid_t program);
