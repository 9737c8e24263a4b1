/* The life of an execution after its start: what is said of it, and when it is forgotten. */
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "execution/execution.h"
#include "execution/log_port.h"
#include "execution/table.h"
#include "loop/loop.h"
#include "process/init.h"
#include "wire/bytes.h"
#include "wire/port.h"

enum { KEPT_MAX = 64, PIECES_A_ROUND = 4 };

static int64_t end_of_backoff(const struct edge_state *edge, int fd) { return fd < 0 ? INT64_MAX : edge_deadline(edge); }

/* Computed each time: a back-off begins wherever bytes are moved, also while a port is read, which is after the pump. */
int64_t executions_deadline(void) {
    int64_t first = INT64_MAX;
    for (int i = 0; i < table_end(); i++) {
        const struct execution *e = table_at(i);
        if (e == NULL) continue;
        const int64_t ends[] = {
            end_of_backoff(&e->input.edge, e->input.fd),
            end_of_backoff(&e->outputs[0].edge, e->outputs[0].fd),
            end_of_backoff(&e->outputs[1].edge, e->outputs[1].fd),
        };
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
            if (ends[j] < first) first = ends[j];
        }
    }
    return first;
}

static bool has_room(const struct execution *e) { return e->port == NO_PORT || port_has_room(e->port); }

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

static void tell_the_taken_over(struct execution *e) {
    for (int port = 0; port < PORTS; port++) {
        uint8_t bit = (uint8_t)(1 << port);
        if ((e->taken_over & bit) == 0 || !port_has_room(port)) continue;
        port_send(port, &(struct frame){.type = DETACHED, .stream = e->id}, NULL, 0);
        e->taken_over &= (uint8_t)~bit;
    }
}

static void grant_stdin(struct execution *e) {
    uint8_t payload[4];
    put32(payload, stdin_grant(&e->input.window));
    struct frame grant = {.type = STDIN_CREDIT, .stream = e->id, .length = sizeof payload, .payload = payload};
    port_send(e->port, &grant, NULL, 0);
}

static void forget(struct execution *e) {
    input_close(&e->input);
    for (int i = 0; i < 2; i++) output_free(&e->outputs[i]);
    if (e->terminal >= 0) loop_close(e->terminal);
    table_remove(e);
}

/* The plain ones that are kept, oldest first by their turn. */
static struct execution *oldest_kept(unsigned *count) {
    struct execution *oldest = NULL;
    *count = 0;
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        if (e == NULL || e->kept == 0) continue;
        ++*count;
        if (oldest == NULL || e->kept < oldest->kept) oldest = e;
    }
    return oldest;
}

bool executions_forget_oldest_kept(void) {
    unsigned count;
    struct execution *oldest = oldest_kept(&count);
    if (oldest != NULL) forget(oldest);
    return oldest != NULL;
}

static void keep(struct execution *e) {
    static uint64_t turn;
    if (e->kept != 0) return;
    e->kept = ++turn;
    unsigned count;
    struct execution *oldest = oldest_kept(&count);
    if (count > KEPT_MAX) forget(oldest);
}

static void say_exited(struct execution *e) {
    uint8_t payload[8];
    put32(payload, exit_kind(e->status));
    put32(payload + 4, exit_value(e->status));
    struct frame exited = {.type = EXITED, .stream = e->id, .length = sizeof payload, .payload = payload};
    port_send(e->port, &exited, NULL, 0);
    e->said_exited = true;
}

/* All output has come, and the host that is attached has it. */
static void complete(struct execution *e) {
    if (e->terminal >= 0) { /* hangs up on descendants */
        loop_close(e->terminal);
        e->terminal = -1;
    }
    for (int i = 0; i < 2; i++) output_trim(&e->outputs[i]);
    if (e->port != NO_PORT && !e->said_exited) {
        if (!port_has_room(e->port)) return;
        say_exited(e);
    }
    const struct execution_callbacks *vm = execution_callbacks();
    if (execution_is_init(e) && init_asked_for_the_end(e->status)) {
        vm->init_asked();
    } else if ((e->flags & EXEC_MAIN) != 0 && !(execution_is_init(e) && vm->vm_is_ending())) {
        vm->main_ended(exit_kind(e->status), exit_value(e->status));
    }
    if (e->taken_over != 0 || (e->flags & EXEC_ACKNOWLEDGED) != 0) return;
    if (e->port != NO_PORT || (e->flags & EXEC_MAIN) != 0 || e->file) {
        forget(e);
    } else {
        keep(e);
    }
}

/* Some pieces in a row, which saves rounds of the loop; not more, because others wait for their turn. */
static bool pump_output(struct execution *e, int i) {
    struct output *output = &e->outputs[i];
    bool more = true;
    for (int piece = 0; more && piece < PIECES_A_ROUND; piece++) {
        more = output_fill(output, executions_forget_oldest_kept);
        if (e->port != NO_PORT) more |= output_send(output, e->port, i == 0 ? STDOUT : STDERR, e->id);
        more |= log_port_send(output, (uint32_t)i + 1);
    }
    return more;
}

static bool pump(struct execution *e) {
    if (e->report >= 0) return false;
    /* What comes next must not be put into the namespace of an init that never came to be. */
    if (execution_is_init(e) && e->failure.code != 0 && !e->ended) return false;
    if (!e->announced) {
        if (!has_room(e)) return false;
        announce(e);
    }
    if (e->taken_over != 0) tell_the_taken_over(e);
    if (e->failure.code != 0) {
        if (e->ended) forget(e);
        return false;
    }
    input_pump(&e->input);
    bool more = pump_output(e, 0);
    more |= pump_output(e, 1);
    if (e->port != NO_PORT && !e->ended && stdin_grant_due(&e->input.window) && has_room(e)) grant_stdin(e);
    if (e->ended && output_is_delivered(&e->outputs[0]) && output_is_delivered(&e->outputs[1])) complete(e);
    return more;
}

/* Begins at another execution each time, so that none is always first at a port's queue. */
bool executions_pump(void) {
    static unsigned turn;
    bool more = false;
    int count = table_end();
    for (int i = 0; i < count; i++) {
        struct execution *e = table_at((int)((turn + (unsigned)i) % (unsigned)count));
        if (e != NULL) more |= pump(e);
    }
    turn++;
    return more;
}

int execution_release(uint32_t id, const char **sentence) {
    struct execution *e = table_find_lasting(id);
    *sentence = "There is no such execution, or it is forgotten.";
    if (e == NULL) return NO_SUCH_EXECUTION;
    *sentence = "The execution still runs.";
    if (!e->ended) return STILL_RUNNING;
    forget(e);
    return 0;
}

/* Forgotten at once: the end of a clone's main execution is not to be the end of its VM. */
void executions_end_all(void) {
    kill(-1, SIGKILL);
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        if (e == NULL) continue;
        if (e->report >= 0) loop_close(e->report);
        forget(e);
    }
}

bool executions_pending(void) {
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        if (e == NULL || e->kept != 0) continue;
        bool said = e->ended && e->said_exited;
        if (!said && !(e->ended && e->port == NO_PORT && (e->flags & EXEC_ACKNOWLEDGED) != 0)) return true;
    }
    return false;
}
