/* Messages with a descriptor, on a socket pair that keeps their bounds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sends a message, with a descriptor unless it is -1; false with errno. */
bool hand_over(int socket, const void *message, size_t length, int fd);

/* Receives a message of exactly so many bytes; `fd` is -1 if none came with it. False if that is not what came. */
bool take_over(int socket, void *message, size_t length, int *fd);
