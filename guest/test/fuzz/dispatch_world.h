/* The world around dispatch, which is fake: processes and servers are pipes and sockets of ours, and a port checks what it is told. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESSES = 32, HOSTS = 2 };

/* A process that runs: the other ends of its pipes. */
struct process {
    pid_t pid; /* 0: there is none */
    int input, outputs[2];
};

extern struct process processes[PROCESSES];
extern bool room[HOSTS];  /* whether the port to a host takes more */
extern bool missing;      /* the guest's identity */
extern int64_t now;       /* in ms */

void end_process(struct process *p);

/* Has it write what can be checked where it comes out. */
void write_output(struct process *p, int channel, size_t length);

/* One of the servers writes, reads or ends. */
void a_server_does(const uint8_t *event);

/* Ends all servers and connections. */
void end_servers(void);

/* Checks that no connection takes more than it was granted. */
void check_connections(void);
