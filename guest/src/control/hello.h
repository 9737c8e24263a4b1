/* HELLO, the only sign of readiness. */
#pragma once

#include <stdbool.h>

void hello_note_start(void);

/* The root is mounted: from now on the agent says HELLO. */
void hello_note_ready(void);

bool hello_is_ready(void);

/* Sends HELLO if the agent is ready. */
void hello_send(int port);
