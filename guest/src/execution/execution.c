#include "execution/execution.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>

#include "execution/log_port.h"
#include "execution/table.h"
#include "loop/loop.h"
#include "process/init.h"
#include "process/spawn.h"
#include "process/terminal.h"
#include "sys/clock.h"
#include "wire/port.h"

static const struct execution_callbacks *callbacks;

void executions_open(const struct execution_callbacks *wanted) { callbacks = wanted; }

const struct execution_callbacks *execution_callbacks(void) { return callbacks; }

/* A slot for what is about to be spawned; NULL, with the reason, if there can be no more. */
static struct execution *slot(const char **sentence) {
    *sentence = "The VM is shutting down.";
    if (callbacks->vm_is_ending()) return NULL;
    *sentence = "There are 1024 executions, more are not possible.";
    return table_add();
}

static int not_spawned(struct execution *e, const char **sentence) {
    table_remove(e);
    *sentence = "The agent could not create a process, a pipe or a terminal.";
    return OUT_OF_RESOURCES;
}

static struct edge_state edge_state(const struct execution *e, uint32_t events, enum source source) {
    return (struct edge_state){.events = events, .source = source, .execution = e->id, .terminal = e->terminal >= 0};
}

static void begin(struct execution *e, int port, uint32_t request, const struct spawned *spawned, bool stdin_follows) {
    e->pid = spawned->pid;
    e->port = port;
    e->request = request;
    e->report = spawned->report;
    e->memory = spawned->memory;
    e->terminal = spawned->terminal;
    e->started_at = clock_ns(CLOCK_REALTIME);
    uint32_t granted = spawned->input >= 0 && stdin_follows ? STDIN_WINDOW : 0;
    e->input = (struct input){
        .fd = spawned->input, .edge = edge_state(e, EPOLLOUT, INPUT), .window = {.granted = granted}};
    e->input.edge.ready = true;
    loop_watch(e->report, EPOLLIN, REPORT, e->id);
    edge_begin(&e->input.edge, e->input.fd);
}

static void begin_outputs(
    struct execution *e, const struct spawned *spawned, uint32_t limit, uint32_t credit, struct window window) {
    for (int i = 0; i < 2; i++) {
        e->outputs[i] = (struct output){
            .fd = spawned->outputs[i], .edge = edge_state(e, EPOLLIN, i == 0 ? OUTPUT_1 : OUTPUT_2), .limit = limit,
            .credit = credit, .window = window};
        edge_begin(&e->outputs[i].edge, e->outputs[i].fd);
    }
}

int execution_start(int port, uint32_t request, const struct exec_request *command, const char **sentence) {
    struct spawned spawned;
    *sentence = "An execution was started with this key, and is known still.";
    if (command->key != NULL && table_find_key(command->key) != NULL) return KEY_TAKEN;
    *sentence = "An init can only be the first execution: what ran before would not be among its processes.";
    if ((command->flags & EXEC_INIT) != 0 && executions_running() > 0) return BAD_REQUEST;
    struct execution *e = slot(sentence);
    if (e == NULL) return OUT_OF_RESOURCES;
    if (!spawn(command, &spawned)) return not_spawned(e, sentence);
    begin(e, port, request, &spawned, (command->flags & EXEC_STDIN) != 0);
    e->flags = command->flags;
    e->stop_signal = (int)command->stop_signal;
    snprintf(e->program, sizeof e->program, "%s", command->arguments[0]);
    if (command->key != NULL) snprintf(e->key, sizeof e->key, "%s", command->key);
    bool main = (e->flags & EXEC_MAIN) != 0;
    struct window window = {
        .attached = true, .acknowledged = (e->flags & EXEC_ACKNOWLEDGED) != 0, .logging = main && log_port_is_open()};
    begin_outputs(e, &spawned, command->window, command->credit, window);
    return 0;
}

static int watches(void) {
    int count = 0;
    for (int slot = 0; slot < table_end(); slot++) {
        const struct execution *e = table_at(slot);
        if (e != NULL && e->watch && !e->ended) count++;
    }
    return count;
}

int execution_start_file(int port, uint32_t request, const struct file_request *file, const char **sentence) {
    /* No host attaches to a file operation, so it keeps no more than keeps it going. */
    enum { FILE_WINDOW = 256 * 1024, WATCHES_MAX = 32 };
    struct spawned spawned;
    *sentence = "There are 32 watches in this guest, which is as many as there may be.";
    if (file->operation == FILE_WATCH && watches() >= WATCHES_MAX) return OUT_OF_RESOURCES;
    struct execution *e = slot(sentence);
    if (e == NULL) return OUT_OF_RESOURCES;
    if (!spawn_file_operation(file, &spawned)) return not_spawned(e, sentence);
    begin(e, port, request, &spawned, true);
    e->file = true;
    e->watch = file->operation == FILE_WATCH;
    begin_outputs(e, &spawned, FILE_WINDOW, file->credit, (struct window){.attached = true});
    return 0;
}

static struct execution *attached(int port, uint32_t id) {
    struct execution *e = table_find(id);
    return e != NULL && e->port == port ? e : NULL;
}

void execution_stdin(int port, uint32_t id, const uint8_t *bytes, uint32_t length) {
    struct execution *e = attached(port, id);
    if (e == NULL) return;
    input_take(&e->input, bytes, length);
    /* A question rather than a stream. */
    for (int i = 0; i < 2 && length < BACKOFF_BUSY; i++) edge_wake(&e->outputs[i].edge, e->outputs[i].fd);
}

void execution_stdin_eof(int port, uint32_t id) {
    struct execution *e = attached(port, id);
    if (e != NULL) input_end(&e->input);
}

void execution_credit(int port, uint32_t id, uint32_t channel, uint32_t bytes) {
    struct execution *e = attached(port, id);
    if (e == NULL || channel < 1 || channel > 2) return;
    struct output *output = &e->outputs[channel - 1];
    output->credit = credit_add(output->credit, bytes);
}

void execution_acknowledge(int port, uint32_t id, uint32_t channel, uint64_t offset) {
    struct execution *e = attached(port, id);
    if (e == NULL || channel < 1 || channel > 2) return;
    struct output *output = &e->outputs[channel - 1];
    window_acknowledge(&output->window, offset);
    output_trim(output);
}

static int none_such(const char **sentence) {
    *sentence = "There is no such execution, or it has ended.";
    return NO_SUCH_EXECUTION;
}

/* Only while the leader is not reaped: its process id, and so that of the group, cannot belong to another. */
int execution_signal(uint32_t id, int number, const char **sentence) {
    struct execution *e = table_find_started(id);
    if (e == NULL || e->ended) return none_such(sentence);
    if (kill(-e->pid, number) == 0 || errno == ESRCH) return 0;
    *sentence = "The signal could not be sent.";
    return INTERNAL;
}

int execution_resize(uint32_t id, uint16_t rows, uint16_t columns, const char **sentence) {
    struct execution *e = table_find_started(id);
    if (e == NULL || e->ended) return none_such(sentence);
    *sentence = "The execution has no terminal.";
    if (e->terminal < 0) return BAD_REQUEST;
    *sentence = "The terminal's size could not be set.";
    return terminal_resize(e->terminal, rows, columns) ? 0 : INTERNAL;
}

static void free_child_memory(struct execution *e) {
    child_memory_free(e->memory);
    e->memory = NULL;
}

/* Of a child that failed the report comes before its end, until which it stands on its stack. */
void execution_report(uint32_t id) {
    struct execution *e = table_find(id);
    if (e == NULL || e->report < 0 || !spawn_told(e->report, &e->failure)) return;
    loop_close(e->report);
    e->report = -1;
    if (e->failure.code == 0) free_child_memory(e);
}

void execution_input_ready(uint32_t id) {
    struct execution *e = table_find(id);
    if (e != NULL) e->input.edge.ready = true;
}

void execution_output_ready(uint32_t id, int channel) {
    struct execution *e = table_find(id);
    if (e != NULL) e->outputs[channel].edge.ready = true;
}

void execution_ended(pid_t pid, int status) {
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        if (e == NULL || e->pid != pid || e->ended) continue;
        e->ended = true;
        e->status = status;
        e->ended_at = clock_ns(CLOCK_REALTIME);
        if (execution_is_init(e)) init_ended();
        execution_report(e->id);
        free_child_memory(e);
        input_close(&e->input);
        output_drain(&e->outputs[0]);
        output_drain(&e->outputs[1]);
        return;
    }
}

unsigned executions_running(void) {
    unsigned running = 0;
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        running += e != NULL && !e->ended;
    }
    return running;
}
