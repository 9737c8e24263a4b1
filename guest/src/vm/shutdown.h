/* When the VM ends, and what becomes of all that runs before. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Asks everything to end; what is left after the grace is killed. */
void shutdown_requested(uint32_t grace_ms);

/* The main execution has ended and its EXITED is said. What is left is killed at once. */
void shutdown_main_ended(uint32_t kind, uint32_t value);

bool shutdown_begun(void);

/* Goes on as far as it can; ends the VM when all is done. */
void shutdown_step(void);

/* When shutdown_step is due even without an event, in milliseconds as by now_ms. */
int64_t shutdown_deadline(void);
