/* Any bytes as the payload of DIAL. */
#include "memory/credit.h"
#include "wire/dial_request.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct dial_request request;
    const char *sentence = NULL;
    uint8_t *copy = malloc(length + 1); /* one byte after it may be written */
    memcpy(copy, bytes, length);
    int code = dial_request_parse(copy, length, &request, &sentence);
    if (code != 0) {
        CHECK(strlen(sentence) > 0);
    } else {
        CHECK((request.port == 0) == (request.path != NULL) && request.patience <= PATIENCE_MAX);
        CHECK(request.path == NULL || (request.path[0] == '/' && strlen(request.path) <= DIAL_PATH_MAX));
        CHECK(request.credit <= CREDIT_MAX && strlen(request.user) <= length);
    }
    free(copy);
    return 0;
}
