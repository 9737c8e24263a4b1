/* Who reads an execution's outputs and feeds its stdin: one host at a time, or none. */
#pragma once

#include <stdint.h>

#include "wire/frame.h"

/* Answers the request itself if it works; otherwise a failure code with its sentence. The port has room. */
int execution_attach(int port, const struct frame *frame, const char **sentence);

int execution_detach(int port, uint32_t id, const char **sentence);

/* The port has no host any more. */
void executions_detach(int port);
