#include "wire/request.h"

#include <string.h>

#include "memory/credit.h"
#include "memory/window.h"
#include "wire/bytes.h"
#include "wire/message.h"
#include "check.h"

struct builder {
    uint8_t bytes[8192];
    size_t length;
};

static void number(struct builder *b, uint32_t value) {
    put32(b->bytes + b->length, value);
    b->length += 4;
}

static void text(struct builder *b, const char *value) {
    number(b, (uint32_t)strlen(value));
    memcpy(b->bytes + b->length, value, strlen(value));
    b->length += strlen(value);
}

static struct builder good_request(void) {
    struct builder b = {.length = 0};
    number(&b, EXEC_STDIN | EXEC_MAKE_DIRECTORY);
    number(&b, 4096);
    number(&b, 65536);
    number(&b, 3);
    text(&b, "sh");
    text(&b, "");
    text(&b, "last");
    number(&b, 2);
    text(&b, "PATH=/bin");
    text(&b, "X=");
    text(&b, "/tmp");
    text(&b, "bob:wheel");
    number(&b, 0);
    number(&b, 0);
    number(&b, 2);
    for (uint32_t i = 0; i < 2; i++) {
        number(&b, 7 + i);
        number(&b, 100);
        number(&b, 0);
        number(&b, 0xffffffff);
        number(&b, 0xffffffff);
    }
    return b;
}

/* Parses a copy that ends where the allocation ends, but for the one byte that may be written. */
static int parse(const uint8_t *bytes, size_t length, struct exec_request *request, uint8_t **copy) {
    const char *sentence = NULL;
    *copy = malloc(length + 1);
    memcpy(*copy, bytes, length);
    int code = exec_request_parse(*copy, length, request, &sentence);
    CHECK(code == 0 || (sentence != NULL && request->arguments == NULL && request->environment == NULL));
    return code;
}

static void a_good_request_is_understood(void) {
    struct builder b = good_request();
    struct exec_request request;
    uint8_t *copy;
    CHECK(parse(b.bytes, b.length, &request, &copy) == 0);
    CHECK(request.flags == (EXEC_STDIN | EXEC_MAKE_DIRECTORY) && request.credit == 4096);
    CHECK(request.window == 65536 && request.limit_count == 2 && request.rows == 0 && request.columns == 0);
    CHECK(request.limits[1].resource == 8 && request.limits[1].soft == 100 && request.limits[1].hard == UINT64_MAX);
    CHECK(strcmp(request.arguments[0], "sh") == 0 && strcmp(request.arguments[1], "") == 0);
    CHECK(strcmp(request.arguments[2], "last") == 0 && request.arguments[3] == NULL);
    CHECK(strcmp(request.environment[0], "PATH=/bin") == 0 && strcmp(request.environment[1], "X=") == 0);
    CHECK(request.environment[2] == NULL);
    CHECK(strcmp(request.directory, "/tmp") == 0 && strcmp(request.user, "bob:wheel") == 0);
    exec_request_free(&request);
    free(copy);
}

/* The flags and the window stand at 0 and 8, the rows 4 * 2 + 4 + 2 * 20 bytes before the end. */
static int with(uint32_t flags, uint32_t window, uint32_t rows, uint32_t columns) {
    struct builder b = good_request();
    put32(b.bytes, flags);
    put32(b.bytes + 8, window);
    put32(b.bytes + b.length - 52, rows);
    put32(b.bytes + b.length - 48, columns);
    struct exec_request request;
    uint8_t *copy;
    int code = parse(b.bytes, b.length, &request, &copy);
    if (code == 0) exec_request_free(&request);
    free(copy);
    return code;
}

static void what_does_not_fit_together_is_refused(void) {
    CHECK(with(EXEC_MAIN, 4096, 0, 0) == 0 && with(EXEC_ACKNOWLEDGED, WINDOW_MAX, 0, 0) == 0);
    CHECK(with(EXEC_MAIN | EXEC_ACKNOWLEDGED, 4096, 0, 0) == BAD_REQUEST);
    CHECK(with(0, WINDOW_MIN - 1, 0, 0) == BAD_REQUEST && with(0, WINDOW_MAX + 1, 0, 0) == BAD_REQUEST);
    CHECK(with(EXEC_TERMINAL, 4096, 1, 65535) == 0 && with(EXEC_TERMINAL, 4096, 65536, 80) == BAD_REQUEST);
    CHECK(with(EXEC_TERMINAL, 4096, 0, 80) == BAD_REQUEST && with(0, 4096, 24, 80) == BAD_REQUEST);
    CHECK(with(256, 4096, 0, 0) == UNSUPPORTED);
}

static int keyed(uint32_t flags, const char *key, struct exec_request *request, uint8_t **copy) {
    struct builder b = good_request();
    put32(b.bytes, flags);
    text(&b, key);
    return parse(b.bytes, b.length, request, copy);
}

static void a_key_follows_where_a_flag_says_so(void) {
    struct exec_request request;
    uint8_t *copy;
    CHECK(keyed(EXEC_KEYED | EXEC_ACKNOWLEDGED, "job 7", &request, &copy) == 0);
    CHECK(strcmp(request.key, "job 7") == 0 && strcmp(request.user, "bob:wheel") == 0);
    exec_request_free(&request);
    free(copy);
    char longest[KEY_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[KEY_MAX + 1] = '\0';
    CHECK(keyed(EXEC_KEYED | EXEC_ACKNOWLEDGED, longest, &request, &copy) == BAD_REQUEST);
    free(copy);
    CHECK(keyed(EXEC_KEYED | EXEC_ACKNOWLEDGED, "", &request, &copy) == BAD_REQUEST);
    free(copy);
    CHECK(keyed(EXEC_KEYED, "job 7", &request, &copy) == BAD_REQUEST);
    free(copy);
    CHECK(keyed(EXEC_ACKNOWLEDGED, "job 7", &request, &copy) == BAD_REQUEST);
    free(copy);
}

static int stopped_by(uint32_t flags, uint32_t stop_signal) {
    struct builder b = good_request();
    put32(b.bytes, flags);
    number(&b, stop_signal);
    struct exec_request request;
    uint8_t *copy;
    int code = parse(b.bytes, b.length, &request, &copy);
    if (code == 0) {
        CHECK(request.stop_signal == stop_signal && strcmp(request.user, "bob:wheel") == 0);
        exec_request_free(&request);
    }
    free(copy);
    return code;
}

static void an_init_is_the_main_execution_and_has_a_signal_that_stops_it(void) {
    CHECK(stopped_by(EXEC_INIT | EXEC_MAIN, 1) == 0 && stopped_by(EXEC_INIT | EXEC_MAIN | EXEC_MAKE_DIRECTORY, 64) == 0);
    CHECK(stopped_by(EXEC_INIT | EXEC_MAIN, 0) == BAD_REQUEST && stopped_by(EXEC_INIT | EXEC_MAIN, 65) == BAD_REQUEST);
    CHECK(stopped_by(EXEC_INIT, 15) == BAD_REQUEST && stopped_by(EXEC_INIT | EXEC_MAIN | EXEC_STDIN, 15) == BAD_REQUEST);
    CHECK(stopped_by(EXEC_MAIN, 15) == BAD_REQUEST && with(EXEC_INIT | EXEC_MAIN, 4096, 0, 0) == BAD_REQUEST);
}

static void a_signal_that_stops_it_follows_where_a_flag_says_so(void) {
    CHECK(stopped_by(EXEC_STOP_SIGNAL, 3) == 0 && stopped_by(EXEC_STOP_SIGNAL | EXEC_MAIN | EXEC_STDIN, 64) == 0);
    CHECK(stopped_by(EXEC_STOP_SIGNAL, 0) == BAD_REQUEST && stopped_by(EXEC_STOP_SIGNAL, 65) == BAD_REQUEST);
    CHECK(stopped_by(EXEC_STOP_SIGNAL, UINT32_MAX) == BAD_REQUEST && with(EXEC_STOP_SIGNAL, 4096, 0, 0) == BAD_REQUEST);
    CHECK(stopped_by(EXEC_STOP_SIGNAL | EXEC_INIT | EXEC_MAIN, 3) == BAD_REQUEST);
}

static void every_cut_is_refused(void) {
    struct builder b = good_request();
    for (size_t length = 0; length < b.length; length++) {
        struct exec_request request;
        uint8_t *copy;
        CHECK(parse(b.bytes, length, &request, &copy) == BAD_REQUEST);
        free(copy);
    }
    b.bytes[b.length] = 0;
    struct exec_request request;
    uint8_t *copy;
    CHECK(parse(b.bytes, b.length + 1, &request, &copy) == BAD_REQUEST);
    free(copy);
}

static void damaged_requests_harm_nobody(void) {
    uint64_t seed = 42;
    for (int round = 0; round < 20000; round++) {
        struct builder b = good_request();
        uint32_t changes = 1 + random_below(&seed, 6);
        for (uint32_t i = 0; i < changes; i++) b.bytes[random_below(&seed, (uint32_t)b.length)] = (uint8_t)next_random(&seed);
        struct exec_request request;
        uint8_t *copy;
        if (parse(b.bytes, b.length, &request, &copy) == 0) {
            size_t total = 0;
            for (char **a = request.arguments; *a != NULL; a++) total += strlen(*a);
            for (char **e = request.environment; *e != NULL; e++) CHECK(strchr(*e, '=') > *e);
            CHECK(total < b.length && request.directory[0] == '/' && strlen(request.user) < b.length);
            CHECK(request.credit <= CREDIT_MAX && request.window >= WINDOW_MIN && request.window <= WINDOW_MAX);
            CHECK(request.limit_count <= LIMITS_MAX);
            CHECK((request.rows != 0) == ((request.flags & EXEC_TERMINAL) != 0));
            exec_request_free(&request);
        }
        free(copy);
    }
}

static enum joined join(struct message *m, uint32_t length, uint16_t flags, size_t *total) {
    static uint8_t payload[FRAME_PAYLOAD_MAX + FRAME_SEAL];
    uint8_t *whole;
    struct frame frame = {.type = EXEC, .request = 1, .flags = flags, .length = length, .payload = payload};
    return message_join(m, &frame, &whole, total);
}

static void messages_are_joined_up_to_their_limit(void) {
    struct message m = {0};
    size_t total = 0;
    CHECK(join(&m, 100, 0, &total) == JOINED_WHOLE && total == 100 && m.bytes == NULL);
    for (int i = 0; i < 15; i++) CHECK(join(&m, FRAME_PAYLOAD_MAX, FRAME_MORE, &total) == JOINED_MORE);
    struct frame other = {.type = EXEC, .request = 2};
    CHECK(!message_continues(&m, &other));
    other.request = 1;
    CHECK(message_continues(&m, &other));
    CHECK(join(&m, FRAME_PAYLOAD_MAX, 0, &total) == JOINED_WHOLE && total == MESSAGE_MAX);
    message_drop(&m);
    for (int i = 0; i < 40; i++) CHECK(join(&m, FRAME_PAYLOAD_MAX, FRAME_MORE, &total) == JOINED_MORE);
    CHECK(join(&m, 0, 0, &total) == JOINED_TOO_LONG);
    message_drop(&m);
    CHECK(join(&m, 1, 0, &total) == JOINED_WHOLE && total == 1);
}

int main(void) {
    a_good_request_is_understood();
    what_does_not_fit_together_is_refused();
    a_key_follows_where_a_flag_says_so();
    an_init_is_the_main_execution_and_has_a_signal_that_stops_it();
    a_signal_that_stops_it_follows_where_a_flag_says_so();
    every_cut_is_refused();
    damaged_requests_harm_nobody();
    messages_are_joined_up_to_their_limit();
    fprintf(stderr, "request: ok\n");
    return 0;
}
