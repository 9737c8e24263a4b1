#include "process/cradle.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "process/environment.h"

/* From below: a page that cannot be touched, the stack, the cradle and the texts of its command. */
enum { GUARD = 4096, STACK = 128 * 1024, USUAL = 64 * 1024, SPARE_MAX = 4 };

/* Kept with their pages, because each new one costs the kernel some ten pages to find and clear. */
static struct cradle *spare[SPARE_MAX];
static int spare_count;

static struct cradle *map(size_t size) {
    size_t length = GUARD + STACK + (size < USUAL ? USUAL : size);
    char *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return NULL;
    if (mprotect(base, GUARD, PROT_NONE) != 0) {
        munmap(base, length);
        return NULL;
    }
    struct cradle *cradle = (struct cradle *)(base + GUARD + STACK);
    cradle->length = length;
    return cradle;
}

static size_t count_of(char *const *texts) {
    size_t count = 0;
    while (texts != NULL && texts[count] != NULL) count++;
    return count;
}

static size_t bytes_of(char *const *texts, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += strlen(texts[i]) + 1;
    return bytes;
}

static char *lay_text(char **next, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = memcpy(*next, text, size);
    *next += size;
    return copy;
}

static void lay_texts(char **next, char **array, char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++) array[i] = lay_text(next, texts[i]);
    array[count] = NULL;
}

struct cradle *cradle_make(const struct exec_request *command, char *const *variables) {
    size_t arguments = count_of(command->arguments), own = count_of(command->environment), more = count_of(variables);
    size_t pointers = arguments + 1 + own + more + ENVIRONMENT_ADDED + more + 1;
    size_t size = sizeof(struct cradle) + pointers * sizeof(char *) + bytes_of(command->arguments, arguments) +
                  bytes_of(command->environment, own) + bytes_of(variables, more) + strlen(command->directory) + 1 +
                  strlen(command->user) + 1;
    struct cradle *cradle = size <= USUAL && spare_count > 0 ? spare[--spare_count] : map(size);
    if (cradle == NULL) return NULL;
    size_t length = cradle->length;
    *cradle = (struct cradle){.command = *command, .terminal = -1, .length = length};
    char **array = (char **)(cradle + 1), *next = (char *)(array + pointers);
    struct exec_request *copy = &cradle->command;
    copy->arguments = array;
    copy->environment = copy->arguments + arguments + 1;
    cradle->variables = copy->environment + own + more + ENVIRONMENT_ADDED;
    lay_texts(&next, copy->arguments, command->arguments, arguments);
    lay_texts(&next, copy->environment, command->environment, own);
    lay_texts(&next, cradle->variables, variables, more);
    copy->directory = lay_text(&next, command->directory);
    copy->user = lay_text(&next, command->user);
    copy->key = NULL;
    return cradle;
}

void cradle_free(struct cradle *cradle) {
    if (cradle == NULL) return;
    if (cradle->length == GUARD + STACK + USUAL && spare_count < SPARE_MAX) {
        spare[spare_count++] = cradle;
    } else {
        munmap((char *)cradle - STACK - GUARD, cradle->length);
    }
}
