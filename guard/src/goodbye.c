#include "goodbye.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

long goodbye_take(struct goodbye *goodbye, int pipe) {
    char buffer[4096];
    ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0) return -1;
    long room = GOODBYE_MAX - goodbye->length;
    long kept = n < room ? n : room;
    memcpy(goodbye->bytes + goodbye->length, buffer, (size_t)kept);
    goodbye->length += (int)kept;
    return n;
}
