/* ENTRY records from what the kernel says about a file. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "wire/record.h"

/* All but the target of a link. The name is not copied. */
struct entry entry_of(const struct stat *status, const char *name);

/* Reads the target of a link into the entry, from memory that the next call uses again; false with errno. */
bool entry_read_target(struct entry *entry, int directory, const char *name);
