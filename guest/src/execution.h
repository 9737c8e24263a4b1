/* The commands that run in the guest. They survive the connection that started them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "file_request.h"
#include "request.h"

enum { EXECUTIONS_MAX = 1024 };

/* Starts the command; STARTED or FAILED follows once exec has told. Answers 0, or a failure code with its sentence. */
int execution_start(int port, uint32_t request, const struct exec_request *command, const char **sentence);

/* The same for a FILE. It ends with its port. */
int execution_start_file(int port, uint32_t request, const struct file_request *file, const char **sentence);

/* Frames of the host. Only the port that an execution is attached to feeds it; any port may send it a signal. */
void execution_stdin(int port, uint32_t id, const uint8_t *bytes, uint32_t length);
void execution_stdin_eof(int port, uint32_t id);
void execution_credit(int port, uint32_t id, uint32_t channel, uint32_t bytes);
int execution_signal(uint32_t id, int number, const char **sentence);

/* Events of its descriptors and of its process. */
void execution_report(uint32_t id);
void execution_input_ready(uint32_t id);
void execution_output_ready(uint32_t id, int channel);
void execution_ended(pid_t pid, int status);

/* The port has no host any more. */
void executions_detach(int port);

/* Moves bytes and says what is due; answers whether more could be done at once. */
bool executions_pump(void);

void executions_signal_all(int number);

/* Whether a process of an execution still runs. */
bool executions_alive(void);

/* Whether something is still to be said to a host. */
bool executions_pending(void);
