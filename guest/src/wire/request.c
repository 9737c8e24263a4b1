#include "wire/request.h"

#include <stdlib.h>
#include <string.h>

#include "memory/credit.h"
#include "memory/window.h"
#include "wire/bytes.h"

/* Reads a count and that many texts into an array that ends with NULL; NULL if they are not all there. The count
 * is checked against the bytes that are left before it is believed. */
static char **texts(struct cursor *cursor, uint32_t least, uint32_t most, uint32_t *count_read, bool *memory) {
    uint32_t count = cursor_u32(cursor);
    if (cursor->bad || count < least || count > most || count > cursor->left / 4) return NULL;
    char **array = calloc((size_t)count + 1, sizeof *array);
    if (array == NULL) {
        *memory = false;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct text text = cursor_text(cursor);
        if (cursor->bad) {
            free(array);
            return NULL;
        }
        array[i] = text.bytes;
    }
    *count_read = count;
    return array;
}

/* Ends a text in place. The byte after it is the first of the next field's length, which has been read by now, or the
 * spare one at the end. The length stands in the four bytes before the text. */
static void terminate(char *text) {
    text[get32((const uint8_t *)text - 4)] = '\0';
}

static bool is_size(uint32_t n, bool terminal) { return terminal ? n >= 1 && n <= 65535 : n == 0; }

static bool read_terminal(struct cursor *cursor, struct exec_request *request) {
    bool terminal = (request->flags & EXEC_TERMINAL) != 0;
    uint32_t rows = cursor_u32(cursor);
    uint32_t columns = cursor_u32(cursor);
    request->rows = (uint16_t)rows;
    request->columns = (uint16_t)columns;
    return is_size(rows, terminal) && is_size(columns, terminal);
}

static bool read_limits(struct cursor *cursor, struct exec_request *request) {
    request->limit_count = cursor_u32(cursor);
    if (request->limit_count > LIMITS_MAX) return false;
    for (uint32_t i = 0; i < request->limit_count; i++) {
        request->limits[i].resource = cursor_u32(cursor);
        request->limits[i].soft = cursor_u64(cursor);
        request->limits[i].hard = cursor_u64(cursor);
    }
    return true;
}

static bool fits_together(const struct exec_request *request) {
    bool exclusive = (request->flags & EXEC_MAIN) != 0 && (request->flags & EXEC_ACKNOWLEDGED) != 0;
    /* One that may be forgotten by itself would let its key be used again. */
    bool forgettable = (request->flags & EXEC_KEYED) != 0 && (request->flags & EXEC_ACKNOWLEDGED) == 0;
    bool init = (request->flags & EXEC_INIT) != 0;
    bool alone = (request->flags & ~(uint32_t)EXEC_MAKE_DIRECTORY) == (EXEC_INIT | EXEC_MAIN);
    return !exclusive && !forgettable && (!init || alone) && request->window >= WINDOW_MIN && request->window <= WINDOW_MAX;
}

/* The text, if there is to be one. */
static bool read_key(struct cursor *cursor, const struct exec_request *request, struct text *key) {
    if ((request->flags & EXEC_KEYED) == 0) return true;
    *key = cursor_text(cursor);
    return !cursor->bad && key->length >= 1 && key->length <= KEY_MAX;
}

static bool read_stop_signal(struct cursor *cursor, struct exec_request *request) {
    if ((request->flags & (EXEC_INIT | EXEC_STOP_SIGNAL)) == 0) return true;
    request->stop_signal = cursor_u32(cursor);
    return request->stop_signal >= 1 && request->stop_signal <= 64;
}

int exec_request_parse(uint8_t *payload, size_t length, struct exec_request *request, const char **sentence) {
    struct cursor cursor = {.next = payload, .left = length};
    uint32_t argument_count = 0, environment_count = 0;
    bool memory = true;
    *request = (struct exec_request){.flags = cursor_u32(&cursor)};
    request->credit = credit_add(0, cursor_u32(&cursor));
    request->window = cursor_u32(&cursor);
    *sentence = "The payload of EXEC is not well formed.";
    if (!cursor.bad && (request->flags & ~(uint32_t)EXEC_FLAGS) != 0) {
        *sentence = "EXEC has a flag that this agent does not know.";
        return UNSUPPORTED;
    }
    if (!fits_together(request)) return BAD_REQUEST;
    request->arguments = texts(&cursor, 1, ARGUMENTS_MAX, &argument_count, &memory);
    if (request->arguments != NULL) request->environment = texts(&cursor, 0, UINT32_MAX, &environment_count, &memory);
    struct text directory = {0}, user = {0}, key = {0};
    if (request->environment != NULL) {
        directory = cursor_text(&cursor);
        user = cursor_text(&cursor);
    }
    bool good = request->environment != NULL && read_terminal(&cursor, request) && read_limits(&cursor, request) &&
                read_key(&cursor, request, &key) && read_stop_signal(&cursor, request) && cursor_done(&cursor) && (directory.length == 0 || directory.bytes[0] == '/');
    if (!good) {
        exec_request_free(request);
        if (memory) return BAD_REQUEST;
        *sentence = "The agent has no memory for the command.";
        return OUT_OF_RESOURCES;
    }
    /* Backwards, because ending a text overwrites the length of the text after it. */
    if (key.bytes != NULL) terminate(key.bytes);
    terminate(user.bytes);
    terminate(directory.bytes);
    for (uint32_t i = environment_count; i-- > 0;) terminate(request->environment[i]);
    for (uint32_t i = argument_count; i-- > 0;) terminate(request->arguments[i]);
    request->directory = directory.length == 0 ? "/" : directory.bytes;
    request->user = user.bytes;
    request->key = key.bytes;
    for (uint32_t i = 0; i < environment_count; i++) {
        const char *equals = strchr(request->environment[i], '=');
        if (equals == NULL || equals == request->environment[i]) {
            *sentence = "An environment entry is not NAME=value.";
            exec_request_free(request);
            return BAD_REQUEST;
        }
    }
    return 0;
}

void exec_request_free(struct exec_request *request) {
    free(request->arguments);
    free(request->environment);
    request->arguments = NULL;
    request->environment = NULL;
}
