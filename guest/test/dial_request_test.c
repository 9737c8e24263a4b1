#include "wire/dial_request.h"

#include <string.h>

#include "memory/credit.h"
#include "wire/bytes.h"
#include "wire/frame.h"
#include "check.h"

struct wanted {
    uint32_t flags, credit, port, patience;
    const char *path, *user;
};

static size_t put_text(uint8_t *out, const char *value) {
    put32(out, (uint32_t)strlen(value));
    memcpy(out + 4, value, strlen(value));
    return 4 + strlen(value);
}

static size_t payload_of(uint8_t *out, const struct wanted *w) {
    put32(out, w->flags);
    put32(out + 4, w->credit);
    put32(out + 8, w->port);
    put32(out + 12, w->patience);
    size_t length = 16;
    length += put_text(out + length, w->path == NULL ? "" : w->path);
    return length + put_text(out + length, w->user == NULL ? "" : w->user);
}

/* Parses a copy that ends where the allocation ends, but for the one byte that may be written. */
static int parse(const uint8_t *bytes, size_t length, struct dial_request *request, uint8_t **copy) {
    const char *sentence = NULL;
    *copy = malloc(length + 1);
    memcpy(*copy, bytes, length);
    int code = dial_request_parse(*copy, length, request, &sentence);
    CHECK(code == 0 || strlen(sentence) > 10);
    return code;
}

static int code_of(struct wanted wanted) {
    uint8_t bytes[1024], *copy;
    struct dial_request request;
    int code = parse(bytes, payload_of(bytes, &wanted), &request, &copy);
    free(copy);
    return code;
}

static const struct wanted PORT = {DIAL_AS_LOOPBACK, 1000, 65535, PATIENCE_MAX, NULL, NULL};
static const struct wanted PATH = {0, UINT32_MAX, 0, 0, "/run/a.sock", "bob:wheel"};

static void a_port_and_a_path_are_understood(void) {
    uint8_t bytes[1024], *copy;
    struct dial_request r;
    CHECK(parse(bytes, payload_of(bytes, &PORT), &r, &copy) == 0);
    CHECK(r.port == 65535 && r.path == NULL && r.flags == DIAL_AS_LOOPBACK && r.credit == 1000 && r.patience == PATIENCE_MAX);
    free(copy);
    CHECK(parse(bytes, payload_of(bytes, &PATH), &r, &copy) == 0);
    CHECK(r.port == 0 && strcmp(r.path, "/run/a.sock") == 0 && strcmp(r.user, "bob:wheel") == 0 && r.credit == CREDIT_MAX);
    free(copy);
}

static void a_cut_request_is_refused(void) {
    uint8_t bytes[1024], *copy;
    struct dial_request r;
    size_t whole = payload_of(bytes, &PATH);
    for (size_t length = 0; length < whole; length++) {
        CHECK(parse(bytes, length, &r, &copy) == BAD_REQUEST);
        free(copy);
    }
    CHECK(parse(bytes, whole + 1, &r, &copy) == BAD_REQUEST);
    free(copy);
}

static void what_no_port_and_no_path_can_be_is_refused(void) {
    char longest[DIAL_PATH_MAX + 2];
    memset(longest, '/', sizeof longest);
    longest[DIAL_PATH_MAX + 1] = '\0';
    CHECK(code_of((struct wanted){.port = 0}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.port = 65536}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.port = 80, .path = "/a"}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.port = 80, .user = "bob"}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.path = "a"}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.path = longest}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.path = longest + 1}) == 0);
    CHECK(code_of((struct wanted){.path = "/a", .flags = DIAL_AS_LOOPBACK}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.port = 80, .patience = PATIENCE_MAX + 1}) == BAD_REQUEST);
    CHECK(code_of((struct wanted){.port = 80, .flags = 2}) == UNSUPPORTED);
}

int main(void) {
    a_port_and_a_path_are_understood();
    a_cut_request_is_refused();
    what_no_port_and_no_path_can_be_is_refused();
    printf("dial request: ok\n");
    return 0;
}
