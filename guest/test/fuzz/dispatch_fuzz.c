/* Frames of two hosts, and what happens to processes and ports meanwhile, against dispatch and the whole life of
 * executions. The world around is fake (below): processes are pipes of ours, and a port checks what it is told. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/dispatch.h"
#include "control/hello.h"
#include "execution/attach.h"
#include "execution/execution.h"
#include "execution/log_port.h"
#include "execution/table.h"
#include "loop/loop.h"
#include "process/init.h"
#include "process/readiness.h"
#include "process/spawn.h"
#include "process/task.h"
#include "process/terminal.h"
#include "sys/clock.h"
#include "vm/configure.h"
#include "vm/freeze.h"
#include "vm/grow.h"
#include "vm/metrics.h"
#include "vm/shutdown.h"
#include "wire/bytes.h"
#include "wire/configure_request.h"
#include "wire/port.h"
#include "fuzz.h"

enum { PROCESSES = 32, HOSTS = 2 };

/* The processes that run: the other ends of their pipes. */
static struct process {
    pid_t pid;
    int input, outputs[2];
} processes[PROCESSES];
static pid_t last_pid = 100;
static bool room[HOSTS], missing;
static int64_t now;

static void end_process(struct process *p) {
    if (p->pid == 0) return;
    if (p->input >= 0) close(p->input);
    close(p->outputs[0]);
    close(p->outputs[1]);
    p->pid = 0;
}

static bool make_process(bool with_input, struct spawned *spawned) {
    int pipes[4][2];
    struct process *free_one = NULL;
    for (int i = 0; i < PROCESSES; i++) {
        if (processes[i].pid == 0) free_one = &processes[i];
    }
    if (free_one == NULL) return false;
    for (int i = 0; i < 4; i++) CHECK(pipe2(pipes[i], O_NONBLOCK) == 0);
    *free_one = (struct process){.pid = ++last_pid, .input = pipes[0][0], .outputs = {pipes[1][1], pipes[2][1]}};
    close(pipes[3][1]);
    *spawned = (struct spawned){.pid = last_pid, .report = pipes[3][0], .input = pipes[0][1],
                                .outputs = {pipes[1][0], pipes[2][0]}, .terminal = -1};
    if (!with_input) {
        close(spawned->input);
        spawned->input = -1;
    }
    return true;
}

bool spawn(const struct exec_request *command, struct spawned *spawned) {
    return make_process((command->flags & EXEC_STDIN) != 0, spawned);
}

void child_memory_free(struct child_memory *memory) { CHECK(memory == NULL); }

bool spawn_file_operation(const struct file_request *request, struct spawned *spawned) {
    return make_process(file_request_has_input(request), spawned);
}

void init_ended(void) {}

int readiness_await(int port, uint32_t request, const char **sentence) {
    (void)port;
    *sentence = "no init";
    return request % 2 == 0 ? 0 : BAD_REQUEST;
}

bool init_asked_for_the_end(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT; }

bool spawn_told(int report, struct spawn_failure *failure) {
    (void)report;
    failure->code = last_pid % 7 == 0 ? COMMAND_NOT_FOUND : 0;
    strcpy(failure->sentence, "not found");
    return true;
}

static void check_frame(int port, const struct frame *frame, size_t length) {
    CHECK(port >= 0 && port < HOSTS && length <= FRAME_PAYLOAD_MAX && frame->type >= RESET_ACK && frame->type <= MEASURED);
}

void port_send(int port, const struct frame *frame, const uint8_t *prefix, size_t prefix_length) {
    uint64_t sum = 0;
    check_frame(port, frame, frame->length + prefix_length);
    for (size_t i = 0; i < prefix_length; i++) sum += prefix[i];
    for (size_t i = 0; i < frame->length; i++) sum += frame->payload[i];
    __asm__ volatile("" ::"r"(sum));
}

bool port_send_data(int port, uint16_t type, uint32_t stream, uint64_t offset, const struct iovec *slices, int count) {
    size_t length = 0;
    CHECK(type == STDOUT || type == STDERR);
    struct execution *e = table_find(stream);
    CHECK(e != NULL && e->port == port && e->announced && !e->said_exited);
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < slices[i].iov_len; k++) {
            CHECK(((uint8_t *)slices[i].iov_base)[k] == (uint8_t)(offset + length + k)); /* as a process writes them */
        }
        length += slices[i].iov_len;
    }
    CHECK(length > 0 && length <= FRAME_OUT_MAX && length <= e->outputs[type - STDOUT].credit);
    return room[port];
}

void port_done(int port, uint32_t request) { port_send(port, &(struct frame){.type = DONE, .request = request}, NULL, 0); }

void port_failed(int port, uint32_t request, int code, const char *sentence) {
    CHECK(request != 0 && code >= BAD_REQUEST && code <= STILL_RUNNING && strlen(sentence) > 5);
    port_send(port, &(struct frame){.type = FAILED, .request = request}, NULL, 0);
}

bool port_has_room(int port) { return port >= HOSTS || room[port]; }
bool port_takes_data(int port) { return room[port]; }
size_t port_payload_room(int port) { (void)port; return 3000; }
uint32_t port_connection(int port) { (void)port; return 0; }
void loop_watch(int fd, uint32_t events, enum source source, uint32_t id) { (void)fd, (void)events, (void)source, (void)id; }
void loop_rewatch(int fd, uint32_t events, enum source source, uint32_t id) { (void)fd, (void)events, (void)source, (void)id; }
void loop_close(int fd) { close(fd); }
int64_t now_ms(void) { return now; }
uint64_t clock_ns(clockid_t clock) { (void)clock; return 1; }
bool hello_is_ready(void) { return true; }
bool log_port_is_open(void) { return false; }
bool log_port_send(struct output *output, uint32_t channel) { (void)output, (void)channel; return false; }
void shutdown_requested(uint32_t grace) { (void)grace; }

static void init_asked(void) {}
static void main_ended(uint32_t kind, uint32_t value) { (void)kind, (void)value; }
static bool vm_is_ending(void) { return false; }
static const struct execution_callbacks VM = {
    .vm_is_ending = vm_is_ending, .init_asked = init_asked, .main_ended = main_ended};
bool task_runs(enum task_kind kind) { (void)kind; return false; }
bool terminal_resize(int master, uint16_t rows, uint16_t columns) { (void)master, (void)rows, (void)columns; return true; }
bool terminal_type_end(int master) { (void)master; return true; }
void metrics_send(int port, uint32_t request) { port_send(port, &(struct frame){.type = MEASURED, .request = request}, NULL, 0); }
void identity_forget(void) { missing = true; }
bool identity_is_missing(void) { return missing; }
int fake_kill(pid_t pid, int number) { CHECK(pid < -100 && number >= 1); return 0; }

int configure_begin(int port, uint32_t request, uint8_t *payload, size_t length, const char **sentence) {
    static struct configure_request parsed;
    int code = configure_request_parse(payload, length, &parsed, sentence);
    if (code != 0) return code;
    if (parsed.entropy.bytes != NULL) missing = false;
    port_done(port, request);
    return 0;
}

int freeze_begin(int port, uint32_t request, uint32_t milliseconds, bool *begun, const char **sentence) {
    (void)port, (void)request, (void)milliseconds, (void)sentence;
    *begun = false;
    return 0;
}

int thaw_begin(int port, uint32_t request, bool *begun, const char **sentence) {
    return freeze_begin(port, request, 1, begun, sentence);
}

int grow_begin(int port, uint32_t request, uint64_t bytes, const char **sentence) {
    (void)bytes;
    *sentence = "";
    port_done(port, request);
    return 0;
}

/* An execution's bytes are their offsets, modulo 256. */
static void write_output(struct process *p, int channel, size_t length) {
    static uint8_t bytes[65536];
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        int waiting = 0;
        if (e == NULL || e->pid != p->pid || e->ended || e->outputs[channel].fd < 0) continue;
        CHECK(ioctl(e->outputs[channel].fd, FIONREAD, &waiting) == 0);
        uint64_t offset = e->outputs[channel].window.end + (uint64_t)waiting;
        for (size_t k = 0; k < length; k++) bytes[k] = (uint8_t)(offset + k);
        ssize_t n = write(p->outputs[channel], bytes, length);
        CHECK(n > 0 || errno == EAGAIN);
        execution_output_ready(e->id, channel);
    }
}

static void frame_of_a_host(struct message *messages, const uint8_t **data, size_t *size) {
    if (*size < 8) {
        *size = 0;
        return;
    }
    const uint8_t *d = *data;
    size_t length = (size_t)(d[5] | d[6] << 8);
    *data += 8;
    *size -= 8;
    if (length > *size) length = *size;
    uint8_t *payload = exact_copy(*data, length, FRAME_SEAL);
    *data += length;
    *size -= length;
    /* Ids count on from one input to the next, so a frame names the last but so many. */
    uint32_t stream = d[3] == 0 ? 0 : d[3];
    struct frame frame = {.type = d[1], .flags = d[2] & 1, .stream = stream, .request = d[4],
                          .length = (uint32_t)length, .payload = payload};
    int port = d[7] % HOSTS;
    /* table_add counts ids up for ever; here small numbers mean the slots. */
    if (stream != 0 && stream <= (uint32_t)table_end() && table_at((int)stream - 1) != NULL) {
        frame.stream = table_at((int)stream - 1)->id;
    }
    if (room[port] && frame.type != RESET && !dispatch_waits(&frame)) dispatch(port, &messages[port], &frame);
    exact_free(payload);
}

static void something_happens(struct message *messages, const uint8_t *event) {
    struct process *p = &processes[event[1] % PROCESSES];
    uint8_t sink[4096];
    switch (event[0] % 8) {
        case 1:
        case 2: write_output(p, event[0] % 2, 1 + event[2] * 257u); break;
        case 3:
            if (p->pid == 0) break;
            pid_t pid = p->pid;
            end_process(p);
            execution_ended(pid, event[2] % 2 == 0 ? W_EXITCODE(event[2], 0) : 9);
            break;
        case 4: room[event[1] % HOSTS] = !room[event[1] % HOSTS]; break;
        case 5:
            message_drop(&messages[event[1] % HOSTS]);
            executions_detach(event[1] % HOSTS);
            break;
        case 6:
            while (p->pid != 0 && p->input >= 0 && read(p->input, sink, sizeof sink) > 0) continue;
            for (int i = 0; i < table_end(); i++) {
                if (table_at(i) != NULL) execution_input_ready(table_at(i)->id);
            }
            break;
        default: executions_forget_oldest_kept();
    }
}

/* Nothing goes before the window that the host asked for is full, while the budget lasts. */
static void check_windows(void) {
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        for (int k = 0; e != NULL && k < 2; k++) {
            const struct output *o = &e->outputs[k];
            CHECK(o->store.capacity <= o->limit && o->window.end - o->window.start <= o->store.capacity);
            bool gone = o->window.start > 0 && (e->flags & EXEC_ACKNOWLEDGED) == 0;
            CHECK(!gone || o->fd < 0 || o->store.capacity == o->limit || store_budget_left() < o->store.capacity * 3);
        }
    }
}

static void clean_up(struct message *messages) {
    const char *sentence;
    for (int i = 0; i < HOSTS; i++) {
        room[i] = true;
        message_drop(&messages[i]);
        executions_detach(i);
    }
    for (int i = 0; i < PROCESSES; i++) {
        pid_t pid = processes[i].pid;
        end_process(&processes[i]);
        if (pid != 0) execution_ended(pid, 0);
    }
    while (executions_pump()) continue;
    for (int i = table_end(); i-- > 0;) {
        struct execution *e = i < table_end() ? table_at(i) : NULL;
        if (e != NULL) CHECK(execution_release(e->id, &sentence) == 0);
    }
    CHECK(table_end() == 0);
    missing = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct message messages[HOSTS] = {{0}};
    enum { BUDGET = 4 << 20 };
    signal(SIGPIPE, SIG_IGN);
    executions_open(&VM);
    store_set_budget(BUDGET);
    for (int i = 0; i < HOSTS; i++) room[i] = true;
    while (size >= 3) {
        if (data[0] % 4 == 0) {
            frame_of_a_host(messages, &data, &size);
        } else {
            something_happens(messages, data);
            data += 3;
            size -= 3;
        }
        for (int i = 0; i < table_end(); i++) {
            if (table_at(i) != NULL) execution_report(table_at(i)->id);
        }
        executions_pump();
        check_windows();
        now += size % 2;
    }
    clean_up(messages);
    CHECK(store_budget_left() == BUDGET);
    return 0;
}
