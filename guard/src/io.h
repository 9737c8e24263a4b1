/* Writing whole buffers and whole files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes everything, across interruptions and short writes; false with errno. */
bool write_all(int fd, const char *bytes, size_t length);

/* Reserves what a durable file will need, in case the disk is full by then: the file under a temporary name, with `most`
 * bytes of the disk. Answers the file for write_prepared, -1 with errno. */
int prepare_file(int directory, const char *name, size_t most);

/* Gives a prepared file its content, at most as many bytes, and its name, so that after a crash it is missing or whole: fsync,
 * rename, fsync of the directory. Closes the file. False with errno. */
bool write_prepared(int directory, int file, const char *name, const char *bytes, size_t length);

/* The same for readers while this host is up, without waiting for the disk: after a crash of the host the file may be
 * missing or empty. Answers the open file for make_durable, -1 with errno. */
int write_whole(int directory, const char *name, const char *bytes, size_t length);

/* Waits until what write_whole wrote is on the disk, as far as the disk can; closes the file. */
void make_durable(int directory, int file);

/* Closes all descriptors from this one on, also before Linux 5.9. False if some may be left. */
bool close_from(int first);
