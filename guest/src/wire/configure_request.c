#include "wire/configure_request.h"

#include <arpa/inet.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/frame.h"

enum tag { HOSTNAME = 1, CLOCK, ENTROPY, MACHINE_ID, VARIABLE, SECRET, NETWORK, END_ALL, REMOVE_SECRETS, TAGS };

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool read_host(struct configure_request *request, struct text text) {
    if (text.length < 1 || text.length > 64) return false;
    for (uint32_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (!is_letter_or_digit(c) && c != '-' && c != '.') return false;
    }
    request->host = text;
    return true;
}

static bool read_clock(struct configure_request *request, struct text text) {
    if (text.length != 8) return false;
    request->has_clock = true;
    request->clock = get64((uint8_t *)text.bytes);
    return request->clock <= INT64_MAX;
}

static bool read_machine(struct configure_request *request, struct text text) {
    if (text.length != 32) return false;
    for (uint32_t i = 0; i < 32; i++) {
        char c = text.bytes[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    request->machine = text;
    return true;
}

/* The length of the name before the first `=`; 0 if there is none. */
static uint32_t name_length(struct text text) {
    const char *equals = text.length == 0 ? NULL : memchr(text.bytes, '=', text.length);
    return equals == NULL ? 0 : (uint32_t)(equals - text.bytes);
}

static bool read_variable(struct configure_request *request, struct text text) {
    if (name_length(text) == 0 || memchr(text.bytes, '\0', text.length) != NULL) return false;
    if (request->variable_count == CONFIGURED_VARIABLES_MAX) return false;
    request->variables[request->variable_count++] = text;
    return true;
}

static bool read_secret(struct configure_request *request, struct text text) {
    uint32_t length = name_length(text);
    if (length < 1 || length > SECRET_NAME_MAX || text.bytes[0] == '.') return false;
    if (text.length - length - 1 > SECRET_MAX || request->secret_count == SECRETS_MAX) return false;
    struct secret *secret = &request->secrets[request->secret_count];
    for (uint32_t i = 0; i < length; i++) {
        char c = text.bytes[i];
        if (!is_letter_or_digit(c) && c != '.' && c != '-' && c != '_') return false;
    }
    memcpy(secret->name, text.bytes, length);
    secret->name[length] = '\0';
    secret->value = (struct text){.bytes = text.bytes + length + 1, .length = text.length - length - 1};
    for (uint32_t i = 0; i < request->secret_count; i++) {
        if (strcmp(request->secrets[i].name, secret->name) == 0) return false;
    }
    request->secret_count++;
    return true;
}

static bool read_address(struct text text, bool with_prefix, struct address *address) {
    char copy[64];
    if (text.length >= sizeof copy) return false;
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    char *slash = strchr(copy, '/');
    if ((slash != NULL) != with_prefix) return false;
    unsigned prefix = 0;
    if (slash != NULL) {
        *slash++ = '\0';
        size_t digits = strspn(slash, "0123456789");
        if (digits < 1 || digits > 3 || slash[digits] != '\0') return false;
        for (size_t i = 0; i < digits; i++) prefix = prefix * 10 + (unsigned)(slash[i] - '0');
    }
    address->family = strchr(copy, ':') == NULL ? AF_INET : AF_INET6;
    address->prefix = (uint8_t)prefix;
    return prefix <= (address->family == AF_INET ? 32 : 128) && inet_pton(address->family, copy, address->bytes) == 1;
}

static bool read_addresses(struct cursor *cursor, bool with_prefix, uint32_t most, struct address *out, uint32_t *count) {
    *count = cursor_u32(cursor);
    if (cursor->bad || *count > most) return false;
    for (uint32_t i = 0; i < *count; i++) {
        struct text text = cursor_text(cursor);
        if (cursor->bad || !read_address(text, with_prefix, &out[i])) return false;
    }
    return true;
}

static bool read_network(struct configure_request *request, struct text text) {
    struct cursor cursor = {.next = (uint8_t *)text.bytes, .left = text.length};
    struct network *network = &request->network;
    network->mtu = cursor_u32(&cursor);
    struct text mac = cursor_blob(&cursor);
    network->has_mac = mac.length == sizeof network->mac;
    if (cursor.bad || (mac.length != 0 && !network->has_mac)) return false;
    if (network->has_mac) memcpy(network->mac, mac.bytes, sizeof network->mac);
    request->has_network = true;
    return read_addresses(&cursor, true, ADDRESSES_MAX, network->addresses, &network->address_count) &&
           read_addresses(&cursor, false, GATEWAYS_MAX, network->gateways, &network->gateway_count) &&
           read_addresses(&cursor, false, NAME_SERVERS_MAX, network->name_servers, &network->name_server_count) &&
           cursor_done(&cursor);
}

static bool read_field(struct configure_request *request, enum tag tag, struct text text) {
    switch (tag) {
        case HOSTNAME: return read_host(request, text);
        case CLOCK: return read_clock(request, text);
        case ENTROPY: request->entropy = text; return text.length >= ENTROPY_MIN && text.length <= ENTROPY_MAX;
        case MACHINE_ID: return read_machine(request, text);
        case VARIABLE: return read_variable(request, text);
        case SECRET: return read_secret(request, text);
        case NETWORK: return read_network(request, text);
        case END_ALL: request->end_all = true; return text.length == 0;
        default: request->remove_secrets = true; return text.length == 0;
    }
}

int configure_request_parse(uint8_t *payload, size_t length, struct configure_request *request, const char **sentence) {
    struct cursor cursor = {.next = payload, .left = length};
    bool seen[TAGS] = {false};
    *request = (struct configure_request){0};
    while (cursor.left > 0) {
        uint32_t tag = cursor_u32(&cursor);
        struct text text = cursor_blob(&cursor);
        *sentence = "The payload of CONFIGURE is not well formed.";
        if (cursor.bad) return BAD_REQUEST;
        *sentence = "CONFIGURE has a tag that this agent does not know.";
        if (tag < HOSTNAME || tag >= TAGS) return UNSUPPORTED;
        *sentence = "CONFIGURE has the same tag twice.";
        if (seen[tag] && tag != VARIABLE && tag != SECRET) return BAD_REQUEST;
        *sentence = "CONFIGURE has a value that is not valid for its tag.";
        if (!read_field(request, (enum tag)tag, text)) return BAD_REQUEST;
        seen[tag] = true;
        const char *complaint = tag == NETWORK ? network_complaint(&request->network) : NULL;
        if (complaint != NULL) {
            *sentence = complaint;
            return BAD_REQUEST;
        }
    }
    return 0;
}
