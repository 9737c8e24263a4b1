/* Frames of two hosts, and what happens to processes, servers and ports meanwhile, against dispatch and the whole life of
 * executions and connections, in a world that is fake (dispatch_world.h). */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/dispatch.h"
#include "dial/connection.h"
#include "dial/dial.h"
#include "execution/attach.h"
#include "execution/execution.h"
#include "execution/table.h"
#include "wire/bytes.h"
#include "dispatch_world.h"
#include "fuzz.h"

static void init_asked(void) {}
static void main_ended(uint32_t kind, uint32_t value) { (void)kind, (void)value; }
static bool vm_is_ending(void) { return false; }
static const struct execution_callbacks VM = {
    .vm_is_ending = vm_is_ending, .init_asked = init_asked, .main_ended = main_ended};
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
    enum { FIRST_CONNECTION = 192 };
    if (stream >= FIRST_CONNECTION && connection_at(stream - FIRST_CONNECTION) != NULL) {
        frame.stream = connection_at(stream - FIRST_CONNECTION)->id;
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
            dials_hang_up(event[1] % HOSTS);
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
            enum { OF_A_SERVER = 128 };
            if (data[0] >= OF_A_SERVER) {
                a_server_does(data);
            } else {
                something_happens(messages, data);
            }
            data += 3;
            size -= 3;
        }
        for (int i = 0; i < table_end(); i++) {
            if (table_at(i) != NULL) execution_report(table_at(i)->id);
        }
        executions_pump();
        dials_pump();
        check_windows();
        check_connections();
        now += size % 2;
    }
    clean_up(messages);
    end_servers();
    CHECK(store_budget_left() == BUDGET);
    return 0;
}
