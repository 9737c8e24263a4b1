/* What a new process does between its birth and its command. It shares the agent's memory until it executes (a copy would
 * cost more than all the rest: under emulation most of an EXEC), while the agent goes on. So all that runs here keeps to
 * its own stack, changes nothing else, and asks the kernel by raw.h. */
#pragma once

/* The child's `main`: executes the command of a struct child_memory, or reports why not. */
int child_main(void *memory);

/* Leaves the agent's session, signals and descriptors: keeps these four, as 0, 1, 2 and 3. */
void child_leave_agent(const int ends[4]);
