/* The limit of the program's life that is given to it later: DIR/limit, which its owner announces by SIGUSR1. */
#pragma once

#include <stdint.h>

/* Milliseconds from now on; 0 if there is none to be read. */
int64_t limit_read(int directory);
