#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "credit.h"

/* Reads a count and that many texts into an array with room for two more; NULL if they are not all there. The count
 * is checked against the bytes that are left before it is believed. */
static char **texts(struct cursor *cursor, uint32_t least, uint32_t most, uint32_t *count_read, bool *memory) {
    uint32_t count = cursor_u32(cursor);
    if (cursor->bad || count < least || count > most || count > cursor->left / 4) return NULL;
    char **array = calloc((size_t)count + 2, sizeof *array);
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

int exec_request_parse(uint8_t *payload, size_t length, struct exec_request *request, const char **sentence) {
    struct cursor cursor = {.next = payload, .left = length};
    uint32_t argument_count = 0, environment_count = 0;
    bool memory = true;
    *request = (struct exec_request){.flags = cursor_u32(&cursor), .window = cursor_u32(&cursor)};
    *sentence = "The payload of EXEC is not well formed.";
    if (!cursor.bad && (request->flags & ~(uint32_t)(EXEC_STDIN | EXEC_MAIN | EXEC_MAKE_DIRECTORY)) != 0) {
        *sentence = "EXEC has a flag that this agent does not know.";
        return UNSUPPORTED;
    }
    request->window = credit_add(0, request->window);
    request->arguments = texts(&cursor, 1, ARGUMENTS_MAX, &argument_count, &memory);
    if (request->arguments != NULL) request->environment = texts(&cursor, 0, UINT32_MAX, &environment_count, &memory);
    struct text directory = {0}, user = {0};
    if (request->environment != NULL) {
        directory = cursor_text(&cursor);
        user = cursor_text(&cursor);
    }
    bool good = request->environment != NULL && cursor_done(&cursor) &&
                (directory.length == 0 || directory.bytes[0] == '/');
    if (!good) {
        exec_request_free(request);
        if (memory) return BAD_REQUEST;
        *sentence = "The agent has no memory for the command.";
        return OUT_OF_RESOURCES;
    }
    /* Backwards, because ending a text overwrites the length of the text after it. */
    terminate(user.bytes);
    terminate(directory.bytes);
    for (uint32_t i = environment_count; i-- > 0;) terminate(request->environment[i]);
    for (uint32_t i = argument_count; i-- > 0;) terminate(request->arguments[i]);
    request->directory = directory.length == 0 ? "/" : directory.bytes;
    request->user = user.bytes;
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
