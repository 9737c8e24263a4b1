/* An absolute path as the directory that something is in and its name there. */
#pragma once

#include <stdbool.h>

#include "wire/file_request.h"

struct split {
    char parent[PATH_LENGTH_MAX + 2];
    char leaf[PATH_LENGTH_MAX + 1]; /* empty: the root */
};

/* Slashes at the end do not count. */
void split_path(const char *path, struct split *split);

bool split_leaf_is_dots(const struct split *split);
