#include "ports_file.h"

#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

enum { DIGITS_MAX = 15, PORT_MAX = 65535 };

/* Digits up to `end`, which is passed; -1 if that is not what there is. */
static int64_t number(const char **at, const char *limit, char end, int64_t most) {
    int64_t value = 0;
    const char *begin = *at;
    while (*at < limit && **at >= '0' && **at <= '9' && *at - begin < DIGITS_MAX) value = value * 10 + (*(*at)++ - '0');
    if (*at == begin || *at == limit || **at != end || value > most) return -1;
    (*at)++;
    return value;
}

static bool address(const char **at, const char *limit, uint32_t *value) {
    char text[INET_ADDRSTRLEN];
    const char *end = memchr(*at, ':', (size_t)(limit - *at));
    size_t length = end == NULL ? sizeof text : (size_t)(end - *at);
    if (length >= sizeof text) return false;
    memcpy(text, *at, length);
    text[length] = '\0';
    *at = end + 1;
    return inet_pton(AF_INET, text, value) == 1;
}

bool ports_file_parse(const char *text, size_t length, struct ports_file *file) {
    const char *at = text, *limit = text + length;
    *file = (struct ports_file){0};
    int64_t first = number(&at, limit, '\n', INT64_MAX);
    if (first < 0) return false;
    file->number = (uint64_t)first;
    while (at < limit) {
        if (file->count == FORWARDED_PORTS) return false;
        struct wanted_port *port = &file->list[file->count++];
        if (!address(&at, limit, &port->address)) return false;
        int64_t host = number(&at, limit, ':', PORT_MAX), guest = host < 0 ? -1 : number(&at, limit, '\n', PORT_MAX);
        if (guest < 1) return false;
        port->port = htons((uint16_t)host);
        port->guest_port = (uint16_t)guest;
    }
    return true;
}
