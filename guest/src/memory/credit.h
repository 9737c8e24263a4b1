/* Flow control in numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CREDIT_MAX = 16 * 1024 * 1024, STDIN_WINDOW = 512 * 1024 };

/* Credit for output after a grant by the host. */
uint32_t credit_add(uint32_t credit, uint32_t grant);

/* The window of one stdin. What the host may send, what the agent holds, and what it has passed on but not granted
 * again are together STDIN_WINDOW, so the agent never holds more. */
struct stdin_window {
    uint32_t granted;
    uint32_t owed;
};

/* How many of the bytes that came are within the credit; the rest is to be dropped. */
uint32_t stdin_take(struct stdin_window *window, uint32_t length);

void stdin_passed_on(struct stdin_window *window, uint32_t length);

/* Whether a grant is worth a frame: a quarter of the window, or all that the host waits for. */
bool stdin_grant_due(const struct stdin_window *window);

/* The bytes to grant now. */
uint32_t stdin_grant(struct stdin_window *window);
