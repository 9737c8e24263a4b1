/* Deadlines on CLOCK_BOOTTIME, which goes on while the host is suspended. */
#pragma once

#include <stdint.h>

/* A timer that becomes readable after so many milliseconds, never if they are 0; ends the guard on failure. */
int timer_open(int64_t milliseconds);

/* Begins again; 0 disarms it. */
void timer_set(int timer, int64_t milliseconds);

int64_t now_ms(void); /* since 1970 */
