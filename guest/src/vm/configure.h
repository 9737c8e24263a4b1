/* CONFIGURE and QUIESCE: the identity of this VM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Checks all fields and begins to apply them. Answers 0 if an answer follows, or a failure code with its sentence. */
int configure_begin(int port, uint32_t request, uint8_t *payload, size_t length, const char **sentence);

/* A snapshot is about to be taken: a VM that is restored from it needs an identity first. */
void identity_forget(void);

/* Whether entropy is awaited, without which clones would do the same as their siblings. */
bool identity_is_missing(void);

/* Opens the kernel's random device, while nothing of the image can stand in its place. */
void configure_open(void);
