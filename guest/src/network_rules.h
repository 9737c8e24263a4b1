/* What the network of a machine may be, beyond its form. Pure. */
#pragma once

#include "configure_request.h"

/* A sentence on what is wrong; NULL: nothing. */
const char *network_complaint(const struct network *network);
