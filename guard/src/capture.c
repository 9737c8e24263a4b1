#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "io.h"

enum { BUFFER = 16 * 1024 };

/* What logs leave free. */
static const int64_t LEFT = 1 << 20;

static void begin(struct capture *capture) {
    capture->file =
        openat(capture->directory, capture->name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    capture->size = 0;
}

struct capture capture_open(int directory, const struct reserve *reserve, const char *name, const char *older,
                            int64_t capacity) {
    struct capture capture = {
        .directory = directory, .reserve = *reserve, .name = name, .older = older, .capacity = capacity};
    unlinkat(directory, older, 0);
    begin(&capture);
    return capture;
}

static void append(struct capture *capture, const char *bytes, long length) {
    if (capture->file < 0 || reserve_spares(&capture->reserve, capture->directory) < LEFT) return;
    write_all(capture->file, bytes, (size_t)length);
    capture->size += length;
}

static void turn(struct capture *capture) {
    if (capture->file >= 0) close(capture->file);
    renameat(capture->directory, capture->name, capture->directory, capture->older);
    begin(capture);
}

long capture_take(struct capture *capture, int pipe) {
    char buffer[BUFFER];
    ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0) return -1;
    int64_t room = capture->capacity - capture->size;
    long first = n < room ? n : (long)room;
    append(capture, buffer, first);
    if (capture->size == capture->capacity) turn(capture);
    if (first < n) append(capture, buffer + first, n - first);
    return n;
}
