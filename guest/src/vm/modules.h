/* The kernel's modules. */
#pragma once

#include <stdbool.h>

/* Loads the modules of /modules, up to and including virtio_console if `first`, the others if not. */
void modules_load(bool first);
