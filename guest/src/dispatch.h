/* What a frame from a host asks for. */
#pragma once

#include "frame.h"
#include "message.h"

/* Handles a frame other than RESET; the port has room for one answer. */
void dispatch(int port, struct message *message, const struct frame *frame);
