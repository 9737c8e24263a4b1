/* Locks on what the program uses and others may want to delete. */
#pragma once

#include "options.h"

/* Takes a shared lock on each --hold file, for as long as the guard lives. Ends the guard with a sentence if a file is
 * missing or another process has it exclusively. */
void hold_all(const struct options *options);
