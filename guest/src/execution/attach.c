#include "execution/attach.h"

#include <signal.h>

#include "execution/table.h"
#include "wire/bytes.h"
#include "wire/cursor.h"
#include "wire/port.h"

static void say_attached(const struct execution *e, const struct frame *frame) {
    uint8_t payload[36];
    put32(payload, (uint32_t)e->pid);
    put32(payload + 4, e->flags);
    put32(payload + 8, e->input.window.granted);
    put64(payload + 12, e->input.taken);
    put64(payload + 20, e->outputs[0].window.sent);
    put64(payload + 28, e->outputs[1].window.sent);
    struct frame answer = {
        .type = ATTACHED, .stream = e->id, .request = frame->request, .length = sizeof payload, .payload = payload};
    port_send(e->port, &answer, NULL, 0);
}

int execution_attach(int port, const struct frame *frame, const char **sentence) {
    struct cursor cursor = {.next = frame->payload, .left = frame->length};
    uint32_t credit = credit_add(0, cursor_u32(&cursor));
    uint64_t offsets[2];
    for (int i = 0; i < 2; i++) offsets[i] = cursor_u64(&cursor);
    *sentence = "ATTACH needs a credit and two offsets.";
    if (!cursor_done(&cursor)) return BAD_REQUEST;
    struct execution *e = table_find_lasting(frame->stream);
    *sentence = "There is no such execution, or it is forgotten.";
    if (e == NULL) return NO_SUCH_EXECUTION;
    *sentence = "An offset is beyond what the execution has written.";
    for (int i = 0; i < 2; i++) {
        if (offsets[i] > e->outputs[i].window.end) return BAD_REQUEST;
    }
    if (e->port != NO_PORT && e->port != port) e->taken_over |= (uint8_t)(1 << e->port);
    e->taken_over &= (uint8_t) ~(1 << port);
    e->port = port;
    e->kept = 0;
    e->said_exited = false;
    for (int i = 0; i < 2; i++) {
        window_attach(&e->outputs[i].window, offsets[i]);
        e->outputs[i].credit = credit;
    }
    if (!e->ended && (e->flags & EXEC_STDIN) != 0) input_attach(&e->input);
    say_attached(e, frame);
    return 0;
}

static void detach(struct execution *e) {
    e->port = NO_PORT;
    for (int i = 0; i < 2; i++) e->outputs[i].window.attached = false;
}

/* SIGTERM lets a file operation remove what is not complete; a child that was stopped takes it once it goes on. */
static void give_up(const struct execution *e) {
    if (!e->ended && kill(e->pid, SIGTERM) == 0) kill(e->pid, SIGCONT);
}

int execution_detach(int port, uint32_t id, const char **sentence) {
    struct execution *e = table_find_started(id);
    *sentence = "There is no such execution, or it is forgotten.";
    if (e == NULL) return NO_SUCH_EXECUTION;
    if (e->port == port) {
        detach(e);
        if (e->file) give_up(e);
    }
    e->taken_over &= (uint8_t) ~(1 << port);
    return 0;
}

void executions_detach(int port) {
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        if (e == NULL) continue;
        if (e->port == port) {
            detach(e);
            if (e->file) give_up(e);
        }
        e->taken_over &= (uint8_t) ~(1 << port);
    }
}
