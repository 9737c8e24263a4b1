/* The kernel's announcements of devices ("uevents"): a line of text, then `KEY=value` strings, each ended by NUL
 * (lib/kobject_uevent.c of Linux). Programs of the guest's root can send the like. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether one of the strings is `variable`; what is not ended counts up to the end of the message. */
bool announcement_has(const char *message, size_t length, const char *variable);
