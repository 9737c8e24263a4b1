/* What the program may not do however it tries: privileges and limits of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct limits {
    uint64_t file_bytes;    /* of the largest file that it writes; 0: no limit */
    uint64_t address_bytes; /* of its address space; 0: no limit */
    uint64_t descriptors;   /* 0: no limit of ours */
    uint64_t threads;       /* of its user, in a user namespace of its own; 0: no limit */
};

/* Sets limits that the program cannot raise. False with errno. */
bool limits_set(const struct limits *limits);

/* Gives up all capabilities, also those that a program of root's would get by being executed. False with errno. */
bool rights_give_up(void);
