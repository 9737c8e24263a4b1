/* Removes the one file that a file operation must not leave behind if it ends early: the file that is not complete. */
#pragma once

/* Installs a handler of SIGTERM that removes the file and then ends the process. */
void temp_cleanup_on_sigterm(void);

/* Registers the name that is to be removed. With a descriptor it is removed only while it names that open file; with -1
 * it is removed in any case. The name is copied. */
void temp_cleanup_register(int directory, const char *name, int fd);

/* Forgets the name: the file is complete. */
void temp_cleanup_forget(void);

/* Removes the file, if a name is registered. A signal handler may call it. */
void temp_cleanup_remove(void);
