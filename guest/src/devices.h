/* The devices, as the kernel finds them. */
#pragma once

#include <stdbool.h>

/* Listens for the kernel's announcements. Before anything is looked for, so that nothing is missed. */
void devices_open(void);

/* Something was announced: opens the ports that have their name by now. */
void devices_changed(void);

/* Loads the modules of /modules, up to and including virtio_console if `first`, the others if not. */
void modules_load(bool first);

/* Waits until the root disk is there; false if it does not come within five seconds. */
bool devices_wait_for_root(void);
