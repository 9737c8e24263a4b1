/* Writing whole buffers and whole files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes everything, across interruptions and short writes; false with errno. */
bool write_all(int fd, const char *bytes, size_t length);

/* Replaces a file of the directory so that after a crash it is the old or the new one, whole:
 * temporary file, fsync, rename, fsync of the directory. False with errno. */
bool write_durably(int directory, const char *name, const char *bytes, size_t length);
