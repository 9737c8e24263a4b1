#include "execution.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "input.h"
#include "loop.h"
#include "output.h"
#include "port.h"
#include "shutdown.h"
#include "spawn.h"

struct execution {
    uint32_t id; /* 0: the slot is free */
    pid_t pid;
    int port;         /* NO_PORT: detached */
    uint32_t request; /* for STARTED or FAILED */
    bool main;
    bool file;      /* a file operation, which ends with its port */
    int report;     /* tells whether exec worked; -1: it has told */
    bool announced; /* STARTED or FAILED was said */
    bool ended;     /* the process was reaped */
    int status;
    struct spawn_failure failure; /* code 0: none */
    struct input input;
    struct output outputs[2];
};

static struct execution executions[EXECUTIONS_MAX];
static int slots_used; /* no execution lives at or above it */
static uint32_t last_id;

static struct execution *find(uint32_t id) {
    for (int i = 0; i < slots_used && id != 0; i++) {
        if (executions[i].id == id) return &executions[i];
    }
    return NULL;
}

static struct execution *free_slot(void) {
    for (int i = 0; i < EXECUTIONS_MAX; i++) {
        if (executions[i].id == 0) return &executions[i];
    }
    return NULL;
}

static uint32_t next_id(void) {
    do {
        last_id++;
    } while (last_id == 0 || find(last_id) != NULL);
    return last_id;
}

static void release(struct execution *e) {
    e->id = 0;
    while (slots_used > 0 && executions[slots_used - 1].id == 0) slots_used--;
}

static int refused(const char **sentence) {
    *sentence = shutdown_begun() ? "The VM is shutting down." : "1024 executions are running, more are not possible.";
    return OUT_OF_RESOURCES;
}

static int not_spawned(const char **sentence) {
    *sentence = "The agent could not create a process or a pipe.";
    return OUT_OF_RESOURCES;
}

static struct execution *begin(int port, uint32_t request, const struct spawned *spawned, uint32_t credit) {
    struct execution *e = free_slot();
    if (e - executions >= slots_used) slots_used = (int)(e - executions) + 1;
    *e = (struct execution){
        .id = next_id(),
        .pid = spawned->pid,
        .port = port,
        .request = request,
        .report = spawned->report,
        .input = {.fd = spawned->input, .writable = true, .window = {.granted = spawned->input < 0 ? 0 : STDIN_WINDOW}},
        .outputs = {{.fd = spawned->outputs[0], .credit = credit}, {.fd = spawned->outputs[1], .credit = credit}},
    };
    loop_watch(e->report, EPOLLIN, REPORT, e->id);
    if (e->input.fd >= 0) loop_watch(e->input.fd, EPOLLOUT, INPUT, e->id);
    loop_watch(e->outputs[0].fd, EPOLLIN, OUTPUT_1, e->id);
    loop_watch(e->outputs[1].fd, EPOLLIN, OUTPUT_2, e->id);
    return e;
}

int execution_start(int port, uint32_t request, const struct exec_request *command, const char **sentence) {
    struct spawned spawned;
    if (shutdown_begun() || free_slot() == NULL) return refused(sentence);
    if (!spawn(command, &spawned)) return not_spawned(sentence);
    begin(port, request, &spawned, command->window)->main = (command->flags & EXEC_MAIN) != 0;
    return 0;
}

int execution_start_file(int port, uint32_t request, const struct file_request *file, const char **sentence) {
    struct spawned spawned;
    if (shutdown_begun() || free_slot() == NULL) return refused(sentence);
    if (!spawn_file_operation(file, &spawned)) return not_spawned(sentence);
    begin(port, request, &spawned, file->credit)->file = true;
    return 0;
}

static struct execution *attached(int port, uint32_t id) {
    struct execution *e = find(id);
    return e != NULL && e->port == port ? e : NULL;
}

void execution_stdin(int port, uint32_t id, const uint8_t *bytes, uint32_t length) {
    struct execution *e = attached(port, id);
    if (e != NULL) input_take(&e->input, bytes, length);
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

/* Only while the leader is not reaped: its process id, and so that of the group, cannot belong to another. */
int execution_signal(uint32_t id, int number, const char **sentence) {
    struct execution *e = find(id);
    if (e == NULL || !e->announced || e->ended || e->failure.code != 0) {
        *sentence = "There is no such execution, or it has ended.";
        return NO_SUCH_EXECUTION;
    }
    if (kill(-e->pid, number) == 0 || errno == ESRCH) return 0;
    *sentence = "The signal could not be sent.";
    return INTERNAL;
}

void execution_report(uint32_t id) {
    struct execution *e = find(id);
    if (e == NULL || e->report < 0 || !spawn_told(e->report, &e->failure)) return;
    loop_close(e->report);
    e->report = -1;
}

void execution_input_ready(uint32_t id) {
    struct execution *e = find(id);
    if (e != NULL) e->input.writable = true;
}

void execution_output_ready(uint32_t id, int channel) {
    struct execution *e = find(id);
    if (e != NULL) e->outputs[channel].readable = true;
}

void execution_ended(pid_t pid, int status) {
    for (int i = 0; i < slots_used; i++) {
        struct execution *e = &executions[i];
        if (e->id == 0 || e->pid != pid || e->ended) continue;
        e->ended = true;
        e->status = status;
        execution_report(e->id);
        input_close(&e->input);
        output_drain(&e->outputs[0]);
        output_drain(&e->outputs[1]);
        return;
    }
}

void executions_detach(int port) {
    for (int i = 0; i < slots_used; i++) {
        struct execution *e = &executions[i];
        if (e->id == 0 || e->port != port) continue;
        e->port = NO_PORT;
        /* SIGTERM lets it remove what is not complete; a child that was stopped takes it once it goes on. */
        if (e->file && !e->ended && kill(e->pid, SIGTERM) == 0) kill(e->pid, SIGCONT);
    }
}

static void announce(struct execution *e) {
    e->announced = true;
    if (e->port == NO_PORT) return;
    if (e->failure.code != 0) {
        port_failed(e->port, e->request, (int)e->failure.code, e->failure.sentence);
        return;
    }
    uint8_t payload[8];
    put32(payload, (uint32_t)e->pid);
    put32(payload + 4, e->input.window.granted);
    struct frame started = {
        .type = STARTED, .stream = e->id, .request = e->request, .length = sizeof payload, .payload = payload};
    port_send(e->port, &started, NULL, 0);
}

static void grant_stdin(struct execution *e) {
    uint8_t payload[4];
    put32(payload, stdin_grant(&e->input.window));
    struct frame grant = {.type = STDIN_CREDIT, .stream = e->id, .length = sizeof payload, .payload = payload};
    port_send(e->port, &grant, NULL, 0);
}

static void say_exited(struct execution *e) {
    uint32_t kind = WIFSIGNALED(e->status), value = kind ? (uint32_t)WTERMSIG(e->status) : (uint32_t)WEXITSTATUS(e->status);
    uint8_t payload[8];
    put32(payload, kind);
    put32(payload + 4, value);
    struct frame exited = {.type = EXITED, .stream = e->id, .length = sizeof payload, .payload = payload};
    if (e->port != NO_PORT) port_send(e->port, &exited, NULL, 0);
    if (e->main) shutdown_main_ended(kind, value);
}

static bool has_room(const struct execution *e) { return e->port == NO_PORT || port_has_room(e->port); }

static bool pump(struct execution *e) {
    if (e->report >= 0) return false;
    if (!e->announced) {
        if (!has_room(e)) return false;
        announce(e);
    }
    bool more = false;
    if (e->failure.code == 0) {
        input_pump(&e->input);
        more |= output_pump(&e->outputs[0], e->port, STDOUT, e->id);
        more |= output_pump(&e->outputs[1], e->port, STDERR, e->id);
        if (e->port != NO_PORT && !e->ended && stdin_grant_due(&e->input.window) && has_room(e)) grant_stdin(e);
    } else {
        input_close(&e->input);
        output_close(&e->outputs[0]);
        output_close(&e->outputs[1]);
    }
    if (e->ended && e->outputs[0].fd < 0 && e->outputs[1].fd < 0 && has_room(e)) {
        if (e->failure.code == 0) say_exited(e);
        release(e);
    }
    return more;
}

/* Begins at another execution each time, so that none is always first at a port's queue. */
bool executions_pump(void) {
    static unsigned turn;
    bool more = false;
    int count = slots_used;
    for (int i = 0; i < count; i++) {
        struct execution *e = &executions[(turn + (unsigned)i) % (unsigned)count];
        if (e->id != 0) more |= pump(e);
    }
    turn++;
    return more;
}

void executions_signal_all(int number) {
    for (int i = 0; i < slots_used; i++) {
        struct execution *e = &executions[i];
        if (e->id == 0 || e->ended) continue;
        /* Before its setsid a child is in no group of its own. */
        if (kill(-e->pid, number) != 0) kill(e->pid, number);
    }
}

bool executions_alive(void) {
    for (int i = 0; i < slots_used; i++) {
        if (executions[i].id != 0 && !executions[i].ended) return true;
    }
    return false;
}

bool executions_pending(void) { return slots_used > 0; }
