#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "io.h"

enum { CAPACITY = 128 * 1024, BUFFER = 16 * 1024 };
static const char NAME[] = "console.log";
static const char OLDER[] = "console.log.1";

static void begin(struct console *console) {
    console->file =
        openat(console->directory, NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    console->size = 0;
}

struct console console_open(int directory) {
    struct console console = {.directory = directory};
    unlinkat(directory, OLDER, 0);
    begin(&console);
    return console;
}

static void append(struct console *console, const char *bytes, long length) {
    if (console->file >= 0) write_all(console->file, bytes, (size_t)length);
    console->size += length;
}

static void turn(struct console *console) {
    if (console->file >= 0) close(console->file);
    renameat(console->directory, NAME, console->directory, OLDER);
    begin(console);
}

long console_take(struct console *console, int pipe) {
    char buffer[BUFFER];
    ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0) return -1;
    long room = CAPACITY - console->size;
    long first = n < room ? n : room;
    append(console, buffer, first);
    if (console->size == CAPACITY) turn(console);
    if (first < n) append(console, buffer + first, n - first);
    return n;
}
