/* /run/secrets. Used in a child: what an image or the guest's root has put at the path may block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/configure_request.h"

/* Puts these files in place of all that earlier frames have brought, in memory. False with errno. */
bool secrets_replace(const struct secret *secrets, uint32_t count);

/* Overwrites what earlier frames have brought and takes it away, if it is there. False with errno. */
bool secrets_remove(void);
