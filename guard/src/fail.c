#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io.h"

void fail(const char *format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    /* The sentence may quote a path; a line break in it must not begin a second line. */
    for (char *c = sentence; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') *c = '?';
    }
    char line[sizeof sentence + 16];
    int length = snprintf(line, sizeof line, "failed %s\n", sentence);
    write_all(STDOUT_FILENO, line, (size_t)length);
    exit(EXIT_FAILED);
}
