/* Writing whole buffers and whole files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes everything, across interruptions and short writes; false with errno. */
bool write_all(int fd, const char *bytes, size_t length);

/* Replaces a file of the directory so that after a crash it is the old or the new one, whole:
 * temporary file, fsync, rename, fsync of the directory. False with errno. */
bool write_durably(int directory, const char *name, const char *bytes, size_t length);

/* The same for those who read while this host is up, without waiting for the disk: after a crash of the host the file may
 * be missing or empty. Answers the open file for make_durable, -1 with errno. */
int write_whole(int directory, const char *name, const char *bytes, size_t length);

/* Waits until what write_whole wrote is on the disk, as far as the disk can; closes the file. */
void make_durable(int directory, int file);
