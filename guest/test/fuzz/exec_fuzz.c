#include "memory/credit.h"
#include "memory/window.h"
#include "wire/request.h"
#include "fuzz.h"

static size_t lengths(char *const *texts) {
    size_t total = 0;
    for (; *texts != NULL; texts++) total += strlen(*texts) + 1;
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = exact_copy(data, size, 1);
    struct exec_request request;
    const char *sentence = NULL;
    int code = exec_request_parse(copy, size, &request, &sentence);
    if (code != 0) {
        CHECK(sentence != NULL && request.arguments == NULL && request.environment == NULL);
    } else {
        CHECK(lengths(request.arguments) + lengths(request.environment) <= size && request.arguments[0] != NULL);
        for (char **e = request.environment; *e != NULL; e++) CHECK(strchr(*e, '=') > *e);
        CHECK(request.directory[0] == '/' && strlen(request.user) < size);
        CHECK(request.credit <= CREDIT_MAX && request.window >= WINDOW_MIN && request.window <= WINDOW_MAX);
        CHECK(request.limit_count <= LIMITS_MAX && (request.flags & ~(uint32_t)EXEC_FLAGS) == 0);
        exec_request_free(&request);
    }
    exact_free(copy);
    return 0;
}
