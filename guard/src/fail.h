/* The one way to give up before the program runs: a line `failed SENTENCE` for the starter, exit code 70. */
#pragma once

enum { EXIT_FAILED = 70, EXIT_BUSY = 75, EXIT_NO_RECORD = 74 };

__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
