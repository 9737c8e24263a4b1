/* The one name that a file operation must not leave behind if it ends early: of a file that is not complete. */
#pragma once

/* From now on SIGTERM removes the leftover before it ends the process. */
void leftover_guard(void);

/* The name is the leftover, if it is still that of the open file; without one (-1), whatever it names. Kept by
 * copy. */
void leftover_is(int directory, const char *name, int fd);
void leftover_none(void);

void leftover_remove(void);
