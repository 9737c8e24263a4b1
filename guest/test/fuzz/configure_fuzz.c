#include "wire/configure_request.h"
#include "fuzz.h"

static void check_inside(const uint8_t *start, size_t size, struct text text) {
    CHECK(text.bytes == NULL || ((uint8_t *)text.bytes >= start && (uint8_t *)text.bytes + text.length <= start + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct configure_request request;
    uint8_t *copy = exact_copy(data, size, 0);
    const char *sentence = NULL;
    if (configure_request_parse(copy, size, &request, &sentence) == 0) {
        check_inside(copy, size, request.host);
        check_inside(copy, size, request.machine);
        check_inside(copy, size, request.entropy);
        for (uint32_t i = 0; i < request.variable_count; i++) check_inside(copy, size, request.variables[i]);
        for (uint32_t i = 0; i < request.secret_count; i++) {
            check_inside(copy, size, request.secrets[i].value);
            CHECK(request.secrets[i].name[0] != '.' && strchr(request.secrets[i].name, '/') == NULL);
        }
        CHECK(request.network.address_count <= ADDRESSES_MAX && request.network.name_server_count <= NAME_SERVERS_MAX);
    } else {
        CHECK(sentence != NULL);
    }
    exact_free(copy);
    return 0;
}
