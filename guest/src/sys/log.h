/* Lines on the VM's console. */
#pragma once

__attribute__((format(printf, 1, 2))) void log_line(const char *format, ...);

/* The VM cannot go on: says so on the console and ends it without a goodbye, which the host takes for a crash. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);
