/* LIST: what executions there are. */
#pragma once

#include <stdint.h>

/* Answers the executions above the id that fit; the port has room. */
void listing_send(int port, uint32_t request, uint32_t above);
