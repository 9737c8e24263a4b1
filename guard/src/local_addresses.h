/* The host's own addresses, kept up to date by the kernel's announcements. */
#pragma once

#include <stdbool.h>

#include "filter.h"

struct local_addresses {
    int changes; /* readable when they have changed */
    int answers;
};

bool local_addresses_open(struct local_addresses *addresses);

/* Takes the announcements, and reads all addresses anew; false if that fails, or the filter cannot hold them. */
bool local_addresses_read(const struct local_addresses *addresses, struct filter *filter);
