/* The environment of a command: its own entries, then what it lacks of the variables that CONFIGURE brought, of the
 * user's HOME, and of a terminal's TERM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HOME, TERM and the NULL at the end: what is added to the own entries and the variables. */
enum { VARIABLES_MAX = 1024, ENVIRONMENT_ADDED = 3 };

/* Replaces the variables, `NAME=value` each; takes over the array, which ends with NULL and is one allocation with its
 * texts. */
void environment_set_variables(char **variables);

/* Those of now; NULL: none. */
char *const *environment_variables(void);

/* Completes the entries, behind which there is room for the variables and ENVIRONMENT_ADDED more; `home` is a whole entry.
 * Pure. */
void environment_complete(char **entries, char *const *variables, char *home, bool terminal);
