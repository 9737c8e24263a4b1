/* Reads the names of an open directory piece by piece, however many there are. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct directory {
    int fd;
    long next;
    long end;
    uint8_t *bytes;
};

/* Takes the descriptor over, also on failure (no memory). */
bool directory_open(struct directory *directory, int fd);

/* The next name but `.` and `..`, valid until the next call; NULL at the end (errno is 0) and on failure. */
const char *directory_next(struct directory *directory);

void directory_close(struct directory *directory);
