/* Which secrets a CONFIGURE may bring, and take away. */
#include <string.h>

#include "wire/bytes.h"
#include "wire/configure_request.h"
#include "wire/frame.h"
#include "check.h"

enum { SECRET = 6, REMOVE_SECRETS = 9 };

static struct configure_request request;
static uint8_t payload[1024];
static size_t length;

static void begin(void) { length = 0; }

static void field(uint32_t tag, const char *text) {
    size_t size = strlen(text);
    put32(payload + length, tag);
    put32(payload + length + 4, (uint32_t)size);
    memcpy(payload + length + 8, text, size);
    length += 8 + size;
}

static int parsed(void) {
    const char *sentence = "";
    int code = configure_request_parse(payload, length, &request, &sentence);
    CHECK(code == 0 || strlen(sentence) > 5);
    return code;
}

static void a_frame_that_says_nothing_of_secrets_leaves_them(void) {
    begin();
    CHECK(parsed() == 0 && request.secret_count == 0 && !request.remove_secrets);
}

static void earlier_ones_go_alone_or_for_others(void) {
    begin();
    field(REMOVE_SECRETS, "");
    CHECK(parsed() == 0 && request.secret_count == 0 && request.remove_secrets);
    field(SECRET, "key=value");
    field(SECRET, "empty=");
    CHECK(parsed() == 0 && request.secret_count == 2 && request.remove_secrets);
    CHECK(strcmp(request.secrets[0].name, "key") == 0 && request.secrets[0].value.length == 5);
}

static void what_is_not_of_its_form_is_refused(void) {
    begin();
    field(REMOVE_SECRETS, "key");
    CHECK(parsed() == BAD_REQUEST);
    begin();
    field(REMOVE_SECRETS, "");
    field(REMOVE_SECRETS, "");
    CHECK(parsed() == BAD_REQUEST);
    begin();
    field(REMOVE_SECRETS + 1, "");
    CHECK(parsed() == UNSUPPORTED);
}

int main(void) {
    a_frame_that_says_nothing_of_secrets_leaves_them();
    earlier_ones_go_alone_or_for_others();
    what_is_not_of_its_form_is_refused();
    printf("configure: ok\n");
    return 0;
}
