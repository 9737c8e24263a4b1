/* CONFIGURE: the identity of this VM. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Checks all fields, then applies them. Answers 0, or a failure code with its sentence. */
int configure(uint8_t *payload, size_t length, const char **sentence);

/* Opens the kernel's random device, while nothing of the image can stand in its place. */
void configure_open(void);
