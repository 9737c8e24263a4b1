#include "denied.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "io.h"

/* A QEMU that is broken into may call as often as it likes. */
enum { KEPT = 64 };

/* The test that tries everything is not to be ended. */
#ifndef OPENS_MAX
#define OPENS_MAX 16
#define CALLS_MAX 1000
#endif

bool denied_enough(const struct denied *denied, bool recording, bool one_is) {
    if (one_is && denied->calls > 0) return true;
    return denied->opens >= OPENS_MAX || (!recording && denied->calls >= CALLS_MAX);
}

void denied_note(struct denied *denied, enum denial denial, int call, uint64_t argument, const char *name) {
    if (denial == OPEN_REFUSED) denied->opens++;
    int64_t *count = denial == LET_THROUGH ? &denied->let_through : &denied->calls;
    if ((*count)++ >= KEPT) return;
    if (denied->file == 0) {
        denied->file =
            openat(denied->directory, "denied", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (denied->file < 0) return;
    char line[256];
    int length = snprintf(line, sizeof line - 1, "%s%d %llu %s", denial == LET_THROUGH ? "+" : "", call, (unsigned long long)argument, name);
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    /* The name is not trusted. */
    for (int i = 0; i < length; i++) {
        if (line[i] < ' ' || line[i] > '~') line[i] = '?';
    }
    line[length++] = '\n';
    write_all(denied->file, line, (size_t)length);
}
