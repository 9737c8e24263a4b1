/* The environment of a command: its own entries, then what it lacks of the variables that CONFIGURE brought, of the
 * user's HOME, and of a terminal's TERM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VARIABLES_MAX = 1024 };

/* Replaces the variables, `NAME=value` each; takes over the array, which ends with NULL and is one allocation with its
 * texts. */
void environment_set_variables(char **variables);

/* NULL if there is no memory. */
char **environment_complete(char *const *own, const char *home, bool terminal);
