/* Lies about requests and executions. */
#include "conversation.h"

#include <stdint.h>
#include <string.h>

#include "wire/bytes.h"

static void unasked(struct conversation *c) { say(c, DONE, 0, 0x7fffffff, NULL, 0); }
static void wrong_answer(struct conversation *c) { say(c, PONG, 0, c->request, FILL, 8); }

static void answered_twice(struct conversation *c) {
    started(c);
    started(c);
}

static void unknown_stream(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream + 1000, 0, FILL, 10);
}

static void pongs(struct conversation *c) {
    for (int i = 0; i < 100; i++) say(c, PONG, 0, 0x7fffffff, FILL, 64);
}

static void pong_flood(struct conversation *c) { c->flood = pongs; }

static void much_output(struct conversation *c) { output(c, FILL, sizeof FILL); }

static void beyond_credit(struct conversation *c) {
    started(c);
    c->flood = much_output;
}

static void endless_output(struct conversation *c) {
    started(c);
    c->flood = allowed_output;
}

static void output_again(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream, 0, FILL, 10);
    output_at(c, STDOUT, c->stream, 0, FILL, 10);
}

static void offset_wraps(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream, UINT64_MAX, FILL, 10);
}

static void gap(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream, INT64_MAX - 100, FILL, 10);
    exited(c);
}

static void exited_twice(struct conversation *c) {
    started(c);
    exited(c);
    exited(c);
}

static void output_after_its_end(struct conversation *c) {
    started(c);
    exited(c);
    output(c, FILL, 10);
}

static void impossible_status(struct conversation *c) {
    started(c);
    numbers(c, EXITED, c->stream, 0, 2, (uint64_t[]){7, 77777});
}

static void stdin_credit_too_large(struct conversation *c) { started_as(c, c->stream, UINT32_MAX); }

static void grants(struct conversation *c) {
    for (int i = 0; i < 100; i++) numbers(c, STDIN_CREDIT, c->stream, 0, 1, (uint64_t[]){16 << 20});
}

static void stdin_credit_overflow(struct conversation *c) {
    started(c);
    c->flood = grants;
}

static void unknown_failure(struct conversation *c) { numbers(c, FAILED, 0, c->request, 2, (uint64_t[]){99, 0}); }

static void lying_text(struct conversation *c) {
    uint8_t payload[16] = {1};
    put32(payload + 4, UINT32_MAX);
    say(c, FAILED, 0, c->request, payload, sizeof payload);
}

const struct lie EXECUTION_LIES[] = {
    {"unasked", unasked},
    {"wrong-answer", wrong_answer},
    {"answered-twice", answered_twice},
    {"unknown-stream", unknown_stream},
    {"pong-flood", pong_flood},
    {"beyond-credit", beyond_credit},
    {"endless-output", endless_output},
    {"output-again", output_again},
    {"offset-wraps", offset_wraps},
    {"gap", gap},
    {"exited-twice", exited_twice},
    {"output-after-its-end", output_after_its_end},
    {"impossible-status", impossible_status},
    {"stdin-credit-too-large", stdin_credit_too_large},
    {"stdin-credit-overflow", stdin_credit_overflow},
    {"unknown-failure", unknown_failure},
    {"lying-text", lying_text},
    {NULL, NULL},
};
