/* The disk of the writable layer, if it has one: its file system fills it, and is left whole at the end. */
#pragma once

#include <stdint.h>

/* Of the mounted file system, and the path of its disk; NULL if the layer is in memory. What is opened stays open. */
void grow_open(int directory, const char *disk);

/* Answers 0 if it is begun and an answer follows, or a failure code with its sentence.
 * bytes: what the disk is to have; the kernel learns of that a moment after the host does */
int grow_begin(int port, uint32_t request, uint64_t bytes, const char **sentence);

/* At the end of the VM, when no process writes any more: leaves nothing to be recovered. */
void grow_end(void);
