/* The terminals of executions: one instance of devpts, which the guest sees at /dev/pts, and the agent reaches by a
 * mount of its own, that nothing in the guest can mount over. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct terminal {
    int master; /* non-blocking */
    int slave;
    unsigned number;
};

/* Takes hold of what is mounted at /dev/pts, before anything of the image runs. */
void terminals_open(void);

bool terminal_create(uint16_t rows, uint16_t columns, struct terminal *terminal);

bool terminal_resize(int master, uint16_t rows, uint16_t columns);

/* Types the end-of-file character that is set; false if the terminal does not take it now. */
bool terminal_type_end(int master);

/* In the child (child.h): makes descriptor 0, 1 and 2 the terminal and that the session's own; answers 0 or an errno. */
int terminal_take(int slave, unsigned number);
