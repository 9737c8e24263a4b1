/* The init of an image: an execution that is process 1 of a process namespace of its own. The agent stays process 1 of the
 * VM, so what an init does at its start and its end (systemd kills all that it sees) leaves the agent alone, and its
 * reboot(2) ends the namespace, not the VM: the agent is told, and ends the VM in order. Everything else of the guest is
 * shared: mounts, network, host name. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Forks the child that becomes the init; as fork. The agent leaves the root of the control groups to it. */
pid_t init_fork(void);

/* In that child: mounts what shows its own namespace, and the /run that every init expects. Answers 0, or an errno. */
int init_prepare(void);

/* From now on children of the agent are among the processes of the init, if there is one, until init_leave. False, with
 * errno ENOMEM, once the init is gone. */
bool init_enter(void);

/* Keeps errno. */
void init_leave(void);

/* The init was reaped, or never came to be: its mounts are taken away. */
void init_ended(void);

/* Whether an init with this status has asked for the end of the system by reboot(2). No process in the namespace can kill
 * its process 1 by these signals: the kernel does so in its name (reboot_pid_ns). */
bool init_asked_for_the_end(int status);
