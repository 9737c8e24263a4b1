/* What STAT and LIST tell of a file beside its entry: DETAILS and the attributes `user.*`. */
#pragma once

#include <stdbool.h>

#include "wire/record.h"

/* As many and as large as those of one file may be to be told. */
enum { ATTRIBUTES_MAX = 1024, ATTRIBUTE_BYTES_MAX = 1 << 20 };

/* The path is that of the entry, and may be relative; `shown` is for a failure. */
void details_tell(const struct entry *entry, const char *path, bool follow, const char *shown);
