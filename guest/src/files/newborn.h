/* A file that is being written and gets its name when it is complete. Where the file system can do it, it has no name
 * at all until then, so nothing is left of it whatever ends the process. Elsewhere (overlayfs in Linux 6.1 answers
 * O_TMPFILE with EOPNOTSUPP) it has a temporary one, which all but SIGKILL removes. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { NEWBORN_NAME = 32 };

struct newborn {
    int directory;
    int fd;                 /* of what has content, else -1 */
    char temporary[NEWBORN_NAME]; /* empty: no name */
};

/* Finds out how unnamed files can be named; called once, before the others. */
void newborn_prepare(void);

/* The functions answer false with errno. */
bool newborn_file(struct newborn *newborn, int directory);
bool newborn_link(struct newborn *newborn, int directory, const char *target);
bool newborn_node(struct newborn *newborn, int directory, mode_t mode, dev_t device);

/* Gives it its name, in place of what has it; a directory with something in it stays (ENOTEMPTY). */
bool newborn_publish(struct newborn *newborn, const char *name);
