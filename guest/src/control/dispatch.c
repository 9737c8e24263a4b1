#include "control/dispatch.h"

#include "control/hello.h"
#include "dial/dial.h"
#include "execution/attach.h"
#include "execution/execution.h"
#include "execution/listing.h"
#include "process/readiness.h"
#include "process/task.h"
#include "vm/configure.h"
#include "vm/freeze.h"
#include "vm/grow.h"
#include "vm/metrics.h"
#include "vm/shutdown.h"
#include "wire/bytes.h"
#include "wire/dial_request.h"
#include "wire/file_request.h"
#include "wire/port.h"
#include "wire/request.h"

/* A frame without a request has no caller to answer; it is dropped. */
static void failed(int port, uint32_t request, int code, const char *sentence) {
    if (request != 0) port_failed(port, request, code, sentence);
}

static void answer(int port, uint32_t request, int code, const char *sentence) {
    if (code == 0) {
        port_done(port, request);
    } else {
        port_failed(port, request, code, sentence);
    }
}

bool dispatch_waits(const struct frame *frame) {
    switch (frame->type) {
        case EXEC:
        case FILE_OPERATION:
        case DIAL:
        case QUIESCE: return task_runs(TASK_CONFIGURE);
        case CONFIGURE:
        case FREEZE:
        case THAW:
        case GROW:
            return task_runs(TASK_CONFIGURE) || task_runs(TASK_FREEZE) || task_runs(TASK_THAW) || task_runs(TASK_GROW);
        default: return false;
    }
}

static void needs_identity(int port, uint32_t request) {
    port_failed(port, request, NEEDS_IDENTITY, "The guest was quiesced for a snapshot: CONFIGURE it with entropy first.");
}

static void exec(int port, uint32_t id, uint8_t *payload, size_t length) {
    struct exec_request request;
    const char *sentence;
    if (identity_is_missing()) {
        needs_identity(port, id);
        return;
    }
    int code = exec_request_parse(payload, length, &request, &sentence);
    if (code == 0) {
        code = execution_start(port, id, &request, &sentence);
        exec_request_free(&request);
    }
    if (code != 0) port_failed(port, id, code, sentence);
}

/* Answers the request itself if nothing may be begun in the guest. */
static bool may_begin(int port, uint32_t request) {
    if (!hello_is_ready()) {
        port_failed(port, request, BAD_REQUEST, "The guest is not ready: wait for HELLO.");
    } else if (identity_is_missing()) {
        needs_identity(port, request);
    }
    return hello_is_ready() && !identity_is_missing();
}

static void dial(int port, const struct frame *frame) {
    struct dial_request request;
    const char *sentence;
    if (!may_begin(port, frame->request)) return;
    int code = dial_request_parse(frame->payload, frame->length, &request, &sentence);
    if (code == 0) code = dial_begin(port, frame->request, &request, &sentence);
    if (code != 0) port_failed(port, frame->request, code, sentence);
}

static void credit(int port, const struct frame *frame) {
    if (frame->length != 8) return;
    void (*grant)(int, uint32_t, uint32_t, uint32_t) = dial_is(frame->stream) ? dial_credit : execution_credit;
    grant(port, frame->stream, get32(frame->payload), get32(frame->payload + 4));
}

static void input(int port, const struct frame *frame) {
    void (*take)(int, uint32_t, const uint8_t *, uint32_t) = dial_is(frame->stream) ? dial_stdin : execution_stdin;
    take(port, frame->stream, frame->payload, frame->length);
}

static void end_of_input(int port, uint32_t stream) {
    void (*end)(int, uint32_t) = dial_is(stream) ? dial_stdin_eof : execution_stdin_eof;
    end(port, stream);
}

static void file(int port, const struct frame *frame) {
    struct file_request request;
    const char *sentence;
    if (!may_begin(port, frame->request)) return;
    int code = file_request_parse(frame->payload, frame->length, &request, &sentence);
    if (code == 0) code = execution_start_file(port, frame->request, &request, &sentence);
    if (code != 0) port_failed(port, frame->request, code, sentence);
}

/* The requests whose message may be joined from several frames. */
static void joined(int port, struct message *message, const struct frame *frame) {
    uint8_t *payload;
    size_t length;
    switch (message_join(message, frame, &payload, &length)) {
        case JOINED_MORE: return;
        case JOINED_TOO_LONG: port_failed(port, frame->request, BAD_REQUEST, "The message is longer than 1 MiB."); break;
        case JOINED_NO_MEMORY:
            port_failed(port, frame->request, OUT_OF_RESOURCES, "The agent has no memory for the message.");
            break;
        case JOINED_WHOLE:
            if (!hello_is_ready()) {
                port_failed(port, frame->request, BAD_REQUEST, "The guest is not ready: wait for HELLO.");
            } else if (frame->type == EXEC) {
                exec(port, frame->request, payload, length);
            } else {
                const char *sentence = "";
                int code = configure_begin(port, frame->request, payload, length, &sentence);
                if (code != 0) port_failed(port, frame->request, code, sentence);
            }
            break;
    }
    message_drop(message);
}

static void signal_execution(int port, const struct frame *frame) {
    uint32_t number = frame->length == 4 ? get32(frame->payload) : 0;
    if (number < 1 || number > 64) {
        port_failed(port, frame->request, BAD_REQUEST, "SIGNAL needs a number from 1 to 64.");
    } else {
        const char *sentence = "";
        int code = execution_signal(frame->stream, (int)number, &sentence);
        answer(port, frame->request, code, sentence);
    }
}

static void resize(int port, const struct frame *frame) {
    uint32_t rows = frame->length == 8 ? get32(frame->payload) : 0;
    uint32_t columns = frame->length == 8 ? get32(frame->payload + 4) : 0;
    if (rows < 1 || rows > 65535 || columns < 1 || columns > 65535) {
        port_failed(port, frame->request, BAD_REQUEST, "RESIZE needs rows and columns from 1 to 65535.");
        return;
    }
    const char *sentence = "";
    int code = execution_resize(frame->stream, (uint16_t)rows, (uint16_t)columns, &sentence);
    answer(port, frame->request, code, sentence);
}

static void attach(int port, const struct frame *frame) {
    const char *sentence = "";
    int code = execution_attach(port, frame, &sentence);
    if (code != 0) port_failed(port, frame->request, code, sentence);
}

static void detach(int port, const struct frame *frame) {
    const char *sentence = "";
    int code = execution_detach(port, frame->stream, &sentence);
    answer(port, frame->request, code, sentence);
}

static void release(int port, const struct frame *frame) {
    const char *sentence = "";
    int code = execution_release(frame->stream, &sentence);
    answer(port, frame->request, code, sentence);
}

static void list(int port, const struct frame *frame) {
    if (frame->length != 4) {
        port_failed(port, frame->request, BAD_REQUEST, "LIST needs an id to begin after.");
        return;
    }
    listing_send(port, frame->request, get32(frame->payload));
}

static void freeze(int port, const struct frame *frame) {
    uint32_t milliseconds = frame->length == 4 ? get32(frame->payload) : 0;
    if (milliseconds < 1 || milliseconds > 600000) {
        port_failed(port, frame->request, BAD_REQUEST, "FREEZE needs milliseconds from 1 to 600000.");
        return;
    }
    bool begun = false;
    const char *sentence = "";
    int code = freeze_begin(port, frame->request, milliseconds, &begun, &sentence);
    if (!begun || code != 0) answer(port, frame->request, code, sentence);
}

static void thaw(int port, const struct frame *frame) {
    bool begun = false;
    const char *sentence = "";
    int code = thaw_begin(port, frame->request, &begun, &sentence);
    if (!begun || code != 0) answer(port, frame->request, code, sentence);
}

static void quiesce(int port, const struct frame *frame) {
    identity_forget();
    port_done(port, frame->request);
}

static void await_init(int port, const struct frame *frame) {
    const char *sentence = "";
    int code = readiness_await(port, frame->request, &sentence);
    if (code != 0) port_failed(port, frame->request, code, sentence);
}

static void ping(int port, const struct frame *frame) {
    if (frame->length > 64) {
        port_failed(port, frame->request, BAD_REQUEST, "PING carries at most 64 bytes.");
        return;
    }
    struct frame pong = *frame;
    pong.type = PONG;
    port_send(port, &pong, NULL, 0);
}

static void shut_down(int port, const struct frame *frame) {
    if (frame->length != 4) {
        port_failed(port, frame->request, BAD_REQUEST, "SHUTDOWN needs its milliseconds of grace.");
        return;
    }
    shutdown_requested(get32(frame->payload));
    port_done(port, frame->request);
}

/* Whether the type is a request, with an id on which the answer goes, and belongs to no execution. */
static bool is_well_formed(const struct frame *frame) {
    switch (frame->type) {
        case PING:
        case CONFIGURE:
        case EXEC:
        case FILE_OPERATION:
        case DIAL:
        case SHUTDOWN:
        case LIST:
        case METRICS:
        case FREEZE:
        case THAW:
        case QUIESCE:
        case AWAIT_INIT:
        case GROW: return frame->request != 0 && frame->stream == 0;
        case SIGNAL:
        case RESIZE:
        case ATTACH:
        case DETACH:
        case RELEASE: return frame->request != 0;
        case STDIN:
        case STDIN_EOF:
        case CREDIT:
        case HANG_UP:
        case ACKNOWLEDGE: return frame->request == 0;
        default: return true;
    }
}

static void grow(int port, const struct frame *frame) {
    const char *sentence = "GROW needs the size of the disk.";
    int code = frame->length == 8 ? grow_begin(port, frame->request, get64(frame->payload), &sentence) : BAD_REQUEST;
    if (code != 0) port_failed(port, frame->request, code, sentence);
}

/* Who connects to published ports gets connections, and no program, file or end of the VM. */
static bool is_of_connections(uint16_t type) {
    switch (type) {
        case PING:
        case DIAL:
        case STDIN:
        case STDIN_EOF:
        case CREDIT:
        case HANG_UP: return true;
        default: return false;
    }
}

void dispatch(int port, struct message *message, const struct frame *frame) {
    if (port == PORT_OF_PUBLISHED && !is_of_connections(frame->type)) {
        failed(port, frame->request, UNSUPPORTED, "This port serves connections alone.");
        return;
    }
    if (message->bytes != NULL && !message_continues(message, frame)) {
        port_failed(port, message->request, BAD_REQUEST, "Another frame stood inside the message.");
        message_drop(message);
    }
    if (!is_well_formed(frame)) {
        failed(port, frame->request, BAD_REQUEST, "The frame's stream or request does not fit its type.");
        return;
    }
    if (frame->flags != 0 && frame->type != EXEC && frame->type != CONFIGURE) {
        failed(port, frame->request, BAD_REQUEST, "Only EXEC and CONFIGURE may have MORE.");
        return;
    }
    switch (frame->type) {
        case PING: ping(port, frame); break;
        case CONFIGURE:
        case EXEC: joined(port, message, frame); break;
        case FILE_OPERATION: file(port, frame); break;
        case DIAL: dial(port, frame); break;
        case STDIN: input(port, frame); break;
        case STDIN_EOF: end_of_input(port, frame->stream); break;
        case HANG_UP:
            if (frame->length == 4) dial_hang_up(port, frame->stream, get32(frame->payload) == HANG_UP_CLOSE);
            break;
        case SIGNAL: signal_execution(port, frame); break;
        case CREDIT: credit(port, frame); break;
        case ACKNOWLEDGE:
            if (frame->length == 12) {
                execution_acknowledge(port, frame->stream, get32(frame->payload), get64(frame->payload + 4));
            }
            break;
        case RESIZE: resize(port, frame); break;
        case ATTACH: attach(port, frame); break;
        case DETACH: detach(port, frame); break;
        case RELEASE: release(port, frame); break;
        case LIST: list(port, frame); break;
        case METRICS: metrics_send(port, frame->request); break;
        case FREEZE: freeze(port, frame); break;
        case THAW: thaw(port, frame); break;
        case QUIESCE: quiesce(port, frame); break;
        case GROW: grow(port, frame); break;
        case AWAIT_INIT: await_init(port, frame); break;
        case SHUTDOWN: shut_down(port, frame); break;
        default: failed(port, frame->request, UNSUPPORTED, "This agent does not know the frame's type."); break;
    }
}
