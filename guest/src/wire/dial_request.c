#include "wire/dial_request.h"

#include "memory/credit.h"
#include "wire/cursor.h"
#include "wire/frame.h"

static const char *complaint(const struct dial_request *request, uint32_t port, struct text path, struct text user) {
    if (port > 65535 || (port == 0) == (path.length == 0)) return "DIAL needs a port from 1 to 65535, or a path.";
    if (path.length > DIAL_PATH_MAX || (path.length > 0 && path.bytes[0] != '/')) {
        return "The path of a socket is absolute, and has at most 107 bytes.";
    }
    if (port != 0 && user.length > 0) return "A port is dialed by no user.";
    if (port == 0 && (request->flags & DIAL_AS_LOOPBACK) != 0) return "A path has no loopback.";
    if (request->patience > PATIENCE_MAX) return "DIAL is patient for 60000 milliseconds at most.";
    return NULL;
}

int dial_request_parse(uint8_t *payload, size_t length, struct dial_request *request, const char **sentence) {
    struct cursor cursor = {.next = payload, .left = length};
    *request = (struct dial_request){.flags = cursor_u32(&cursor)};
    request->credit = credit_add(0, cursor_u32(&cursor));
    uint32_t port = cursor_u32(&cursor);
    request->patience = cursor_u32(&cursor);
    struct text path = cursor_text(&cursor), user = cursor_text(&cursor);
    *sentence = "The payload of DIAL is not well formed.";
    if (!cursor_done(&cursor)) return BAD_REQUEST;
    *sentence = "DIAL has a flag that this agent does not know.";
    if ((request->flags & ~(uint32_t)DIAL_AS_LOOPBACK) != 0) return UNSUPPORTED;
    const char *wrong = complaint(request, port, path, user);
    if (wrong != NULL) {
        *sentence = wrong;
        return BAD_REQUEST;
    }
    request->port = (uint16_t)port;
    /* Backwards, because ending a text overwrites the length of the text after it. */
    user.bytes[user.length] = '\0';
    request->user = user.bytes;
    if (port == 0) {
        path.bytes[path.length] = '\0';
        request->path = path.bytes;
    }
    return 0;
}
