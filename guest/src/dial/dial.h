/* DIAL: streams between a host and what listens in the guest. They end with the host's port. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/dial_request.h"

/* Begins to connect; STARTED or FAILED follows. Answers 0, or a failure code with its sentence. */
int dial_begin(int port, uint32_t request, const struct dial_request *dial, const char **sentence);

/* Whether a stream is one of these, also if it has ended. */
bool dial_is(uint32_t stream);

/* Frames of the host that began it. */
void dial_stdin(int port, uint32_t id, const uint8_t *bytes, uint32_t length);
void dial_stdin_eof(int port, uint32_t id);
void dial_credit(int port, uint32_t id, uint32_t channel, uint32_t bytes);

/* Resets it, or closes it once the guest has what came before; EXITED is its last word, for which the port has room. */
void dial_hang_up(int port, uint32_t id, bool close);

/* The port has no host any more. */
void dials_hang_up(int port);

void dial_event(uint32_t id);

/* Whether the process was one that opened a path. */
bool dial_child_ended(pid_t pid);

/* Moves bytes and says what is due; answers whether more could be done at once. */
bool dials_pump(void);

/* When dials_pump is to be called even without an event, in milliseconds as by now_ms. */
int64_t dials_deadline(void);
