/* Writes a file under a temporary name, and gives it its own when it is complete. Where the file system can do it
 * (O_TMPFILE), the file has no name at all until then, so that nothing is left of it however the process ends. Elsewhere
 * (overlayfs in Linux 6.1 answers O_TMPFILE with EOPNOTSUPP) temp_cleanup.h removes the temporary name, unless SIGKILL
 * ends the process. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { TEMP_FILE_NAME = 32 };

struct temp_file {
    int directory;
    int fd;                 /* of what has content, else -1 */
    char temporary[TEMP_FILE_NAME]; /* empty: no name */
};

/* Finds out how unnamed files can be named; called once, before the others. */
void temp_file_prepare(void);

/* The functions answer false with errno. */
bool temp_file_create(struct temp_file *temp, int directory);
bool temp_file_create_link(struct temp_file *temp, int directory, const char *target);
bool temp_file_create_node(struct temp_file *temp, int directory, mode_t mode, dev_t device);

/* Gives it its name, in place of what has it; a directory with something in it stays (ENOTEMPTY). */
bool temp_file_publish(struct temp_file *temp, const char *name);
