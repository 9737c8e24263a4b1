/* What a frame from a host asks for. */
#pragma once

#include "wire/frame.h"
#include "wire/message.h"

/* Whether the frame has to wait for what is being done, for CONFIGURE in particular: one comes after the other. */
bool dispatch_waits(const struct frame *frame);

/* Handles a frame other than RESET; the port has room for one answer. */
void dispatch(int port, struct message *message, const struct frame *frame);
