/* What a file in the upper directory of the root's overlay says about the image below it (the kernel's
 * Documentation/filesystems/overlayfs.rst). */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/* Opened by the agent before a program of the guest runs; a DIFF has it as its descriptor 0, for it has no path in the
 * guest. */
void changes_open(int upper);
int changes_directory(void);

/* What no image is to have: where the kernel's file systems are mounted, /run with its secrets, and what the agent
 * writes for this guest alone. The name is relative to the root. */
bool change_is_left_out(const char *name);

/* It stands for a file of the image that was removed. */
bool change_is_removal(const struct stat *status);

/* Sends what is to be known of a file or directory beside its entry: that nothing of the image shows through it, and
 * its extended attributes, without those of the overlay itself. The name is for a failure. */
void change_attributes(int fd, const char *name);
