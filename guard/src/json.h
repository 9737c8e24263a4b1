/* Reads one JSON text that is not trusted: bounded in depth, without memory of its own, strict in its form. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL };

/* What is told of a text or a path beyond these is cut off; a cut path is told as the empty one. */
enum { JSON_DEPTH_MAX = 32, JSON_PATH_MAX = 64, JSON_TEXT_MAX = 64 };

/* Told of each value at its beginning. The path has the keys that lead to it, a dot between; of an element of an array that
 * is "#". The text is that of a string or a number, printable ASCII; everything else is '?'. */
typedef void (*json_seen)(void *context, const char *path, enum json_kind kind, const char *text);

/* False if it is no JSON text, or too deep; what was told before means nothing then. */
bool json_read(const char *text, size_t length, json_seen seen, void *context);
