/* Any bytes as the payload of FILE. */
#include "files/split.h"
#include "memory/credit.h"
#include "wire/file_request.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct file_request request;
    const char *sentence = NULL;
    uint8_t *copy = malloc(length + 1); /* one byte after it may be written */
    memcpy(copy, bytes, length);
    int code = file_request_parse(copy, length, &request, &sentence);
    if (code != 0) {
        CHECK(strlen(sentence) > 0);
    } else {
        struct split split;
        CHECK(request.operation >= FILE_STAT && request.operation <= FILE_COPY_IN);
        CHECK(request.path[0] == '/' && strlen(request.path) <= PATH_LENGTH_MAX && request.mode <= MODE_MAX);
        CHECK(request.credit <= CREDIT_MAX && strlen(request.user) <= length);
        split_path(request.path, &split);
        CHECK(strchr(split.leaf, '/') == NULL && split.parent[strlen(split.parent) - 1] == '/');
    }
    free(copy);
    return 0;
}
