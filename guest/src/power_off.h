/* The last that the agent does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* GOODBYE's fields. */
struct last_words {
    uint32_t reason, kind, value;
};

/* Leaves the disk without anything to recover, says the last words, and ends the VM. Nothing else may run any more. */
__attribute__((noreturn)) void power_off(const struct last_words *words);

/* The port of the last words. */
void goodbye_open(int fd);
bool goodbye_is_open(void);
