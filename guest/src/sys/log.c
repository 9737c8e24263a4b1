#include "sys/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/reboot.h>
#include <termios.h>
#include <unistd.h>

static void vlog(const char *format, va_list arguments) {
    char line[512] = "cloche: ";
    int length = vsnprintf(line + 8, sizeof line - 9, format, arguments) + 8;
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    line[length++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
    (void)ignored;
}

void log_line(const char *format, ...) {
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    vlog(format, arguments);
    va_end(arguments);
    errno = error;
}

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vlog(format, arguments);
    va_end(arguments);
    tcdrain(STDERR_FILENO); /* The reboot does not wait for the console, and the host shows this line. */
    reboot(RB_AUTOBOOT);
    for (;;) pause();
}
