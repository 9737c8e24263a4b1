/* The devices, as the kernel finds them: at the start, and ports that a host plugs in later. */
#pragma once

#include <stdbool.h>

/* Listens for the kernel's announcements. Before anything is looked for, so that nothing is missed, and before anything
 * of the image runs. */
void devices_open(void);

/* Something was announced. */
void devices_event(void);

/* Reads announcements, and opens the ports that have their name by now; answers whether more could be done at once. */
bool devices_pump(void);

/* Waits until the root disk is there; false if it does not come within five seconds. */
bool devices_wait_for_root(void);

/* Waits until every port of the start has its name, two seconds at most: a program that began before the port of the log
 * is known would not be logged. */
void devices_wait_for_names(void);
