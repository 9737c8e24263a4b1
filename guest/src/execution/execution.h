/* The commands that run in the guest. They survive the connection that started them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/file_request.h"
#include "wire/request.h"

/* The end of the VM, as far as executions know of it. */
struct execution_callbacks {
    bool (*vm_is_ending)(void);    /* whether no more are started */
    void (*init_asked)(void);      /* the init has asked for the end of the system, and has ended */
    void (*main_ended)(uint32_t kind, uint32_t value); /* the main execution has ended and its EXITED is said */
};

/* Before the first is started; the callbacks stay. */
void executions_open(const struct execution_callbacks *callbacks);

const struct execution_callbacks *execution_callbacks(void);

/* Starts the command; STARTED or FAILED follows once exec has told. Answers 0, or a failure code with its sentence. */
int execution_start(int port, uint32_t request, const struct exec_request *command, const char **sentence);

/* The same for a FILE. It ends with its port. */
int execution_start_file(int port, uint32_t request, const struct file_request *file, const char **sentence);

/* Frames of the host. Only the port that an execution is attached to feeds it; any port may send the others. */
void execution_stdin(int port, uint32_t id, const uint8_t *bytes, uint32_t length);
void execution_stdin_eof(int port, uint32_t id);
void execution_credit(int port, uint32_t id, uint32_t channel, uint32_t bytes);
void execution_acknowledge(int port, uint32_t id, uint32_t channel, uint64_t offset);
int execution_signal(uint32_t id, int number, const char **sentence);
int execution_resize(uint32_t id, uint16_t rows, uint16_t columns, const char **sentence);
int execution_release(uint32_t id, const char **sentence);

/* Events of its descriptors and of its process. */
void execution_report(uint32_t id);
void execution_input_ready(uint32_t id);
void execution_output_ready(uint32_t id, int channel);
void execution_ended(pid_t pid, int status);

/* Moves bytes and says what is due; answers whether more could be done at once. */
bool executions_pump(void);

/* When executions_pump is to be called even without an event, in milliseconds as by now_ms. */
int64_t executions_deadline(void);

/* Forgets, of the plain executions that have ended and are kept for hosts that may attach, the one that ended first;
 * false if there is none. */
bool executions_forget_oldest_kept(void);

/* Kills every process of the guest but this one, and forgets all executions: their ends are not reported. */
void executions_end_all(void);

/* How many run. */
unsigned executions_running(void);

/* Whether something is still to be said to a host, or to the log. */
bool executions_pending(void);
