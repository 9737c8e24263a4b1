/* Whether the init says that the system is up: READY=1 to $NOTIFY_SOCKET, as systemd says it in a container (sd_notify(3),
 * systemd's "Container Interface"). And who waits for that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Before an init is forked; no older word counts then. */
void readiness_open(void);

/* Whose word counts. */
void readiness_of(pid_t init);

/* Says who waits for it that the init has ended. */
void readiness_ended(void);

/* AWAIT_INIT: answered later. Answers 0, or a failure code with its sentence. */
int readiness_await(int port, uint32_t request, const char **sentence);

/* The socket has something. */
void readiness_event(void);

/* Answers those whose ports have room; answers whether more could be done at once. */
bool readiness_pump(void);
