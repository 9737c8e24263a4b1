#include "vm/announcement.h"

#include <string.h>

bool announcement_has(const char *message, size_t length, const char *variable) {
    size_t wanted = strlen(variable);
    for (size_t start = 0; start < length;) {
        size_t here = strnlen(message + start, length - start);
        if (here == wanted && memcmp(message + start, variable, wanted) == 0) return true;
        start += here + 1;
    }
    return false;
}
