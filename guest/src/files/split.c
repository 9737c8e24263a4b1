#include "files/split.h"

#include <string.h>

void split_path(const char *path, struct split *split) {
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    memcpy(split->parent, path, start);
    memcpy(split->parent + start, start == 0 ? "/" : "", start == 0 ? 2 : 1);
    memcpy(split->leaf, path + start, end - start);
    split->leaf[end - start] = '\0';
}

bool split_leaf_is_dots(const struct split *split) {
    return strcmp(split->leaf, ".") == 0 || strcmp(split->leaf, "..") == 0;
}
