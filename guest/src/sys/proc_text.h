/* Finding numbers in the texts of /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers behind the first line that begins with `label`, spaces before it aside; answers how many there were. The
 * text is terminated. */
size_t proc_numbers(const char *text, const char *label, uint64_t *numbers, size_t capacity);

/* How many lines begin with `label` and a digit. */
size_t proc_lines(const char *text, const char *label);
