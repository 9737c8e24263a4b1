#include "process/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/raw.h"

enum { NAME_SHOWN = 100 };

void child_end(void) {
    for (;;) raw(SYS_exit_group, 127);
}

static size_t append(char *text, size_t length, size_t capacity, const char *more, size_t most) {
    size_t count = strnlen(more, most);
    if (count > capacity - length) count = capacity - length;
    memcpy(text + length, more, count);
    return length + count;
}

void child_give_up(enum failure code, int error, const char *before, const char *name, const char *after) {
    struct spawn_failure failure = {.code = code, .error = error};
    size_t capacity = sizeof failure.sentence - 1, length = 0;
    length = append(failure.sentence, length, capacity, before, capacity);
    length = append(failure.sentence, length, capacity, name, NAME_SHOWN);
    append(failure.sentence, length, capacity, after, capacity);
    raw(SYS_write, SPAWN_REPORT, &failure, sizeof failure); /* less than PIPE_BUF, so whole or not at all */
    child_end();
}

void spawn_give_up(enum failure code, const char *format, ...) {
    struct spawn_failure failure = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.sentence, sizeof failure.sentence, format, arguments);
    va_end(arguments);
    ssize_t ignored = write(SPAWN_REPORT, &failure, sizeof failure); /* less than PIPE_BUF, so whole or not at all */
    (void)ignored;
    _exit(127);
}

void spawn_failure_complete(struct spawn_failure *failure) {
    failure->sentence[sizeof failure->sentence - 1] = '\0';
    size_t length = strlen(failure->sentence);
    if (failure->error == 0) return;
    snprintf(failure->sentence + length, sizeof failure->sentence - length, ": %s.", strerror(failure->error));
}

bool spawn_told(int report, struct spawn_failure *failure) {
    ssize_t n = read(report, failure, sizeof *failure);
    if (n < 0) return errno != EAGAIN && errno != EINTR;
    if (n != sizeof *failure) {
        failure->code = 0;
    } else {
        spawn_failure_complete(failure);
    }
    return true;
}
