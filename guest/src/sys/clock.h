/* The kernel's clocks. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Milliseconds since the kernel's start. */
int64_t now_ms(void);

/* Nanoseconds of a clock. */
uint64_t clock_ns(clockid_t clock);
