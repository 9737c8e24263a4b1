/* Starting the program that is guarded. */
#pragma once

#include <sys/types.h>

#include "network.h"
#include "options.h"

/* The walls that it got. */
struct isolation {
    enum level level;
    char missing[160]; /* why not those of the next level */
};

struct program {
    pid_t pid;
    int pidfd;   /* readable when the program has ended */
    int console; /* read end, non-blocking: its standard output and error */
    int goodbye; /* read end, non-blocking: its descriptor 3 */
    int output;  /* read end, non-blocking: its descriptor after the last socket; -1: there is none */
    struct isolation isolation;
};

/* Starts the program with the listening sockets as descriptors 4, 5, …, then the network's end and that of the monitor, those
 * that are not -1; closes them here. Ends the guard with a sentence on failure. */
struct program start_program(const struct options *options, const int *listening, struct network *network, int monitor,
                             int directory);
