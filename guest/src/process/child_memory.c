#include "process/child_memory.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "process/environment.h"

/* From below: a page that cannot be touched, the stack, the struct and the texts of its command. */
enum { GUARD = 4096, STACK = 128 * 1024, USUAL = 64 * 1024, SPARE_MAX = 4 };

/* Kept with their pages, because each new one costs the kernel some ten pages to find and clear. */
static struct child_memory *spare[SPARE_MAX];
static int spare_count;

static struct child_memory *map(size_t size) {
    size_t length = GUARD + STACK + (size < USUAL ? USUAL : size);
    char *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return NULL;
    if (mprotect(base, GUARD, PROT_NONE) != 0) {
        munmap(base, length);
        return NULL;
    }
    struct child_memory *memory = (struct child_memory *)(base + GUARD + STACK);
    memory->length = length;
    return memory;
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

struct child_memory *child_memory_make(const struct exec_request *command, char *const *variables) {
    size_t arguments = count_of(command->arguments), own = count_of(command->environment), more = count_of(variables);
    size_t pointers = arguments + 1 + own + more + ENVIRONMENT_ADDED + more + 1;
    size_t size = sizeof(struct child_memory) + pointers * sizeof(char *) + bytes_of(command->arguments, arguments) +
                  bytes_of(command->environment, own) + bytes_of(variables, more) + strlen(command->directory) + 1 +
                  strlen(command->user) + 1;
    struct child_memory *memory = size <= USUAL && spare_count > 0 ? spare[--spare_count] : map(size);
    if (memory == NULL) return NULL;
    size_t length = memory->length;
    *memory = (struct child_memory){.command = *command, .terminal = -1, .length = length};
    char **array = (char **)(memory + 1), *next = (char *)(array + pointers);
    struct exec_request *copy = &memory->command;
    copy->arguments = array;
    copy->environment = copy->arguments + arguments + 1;
    memory->variables = copy->environment + own + more + ENVIRONMENT_ADDED;
    lay_texts(&next, copy->arguments, command->arguments, arguments);
    lay_texts(&next, copy->environment, command->environment, own);
    lay_texts(&next, memory->variables, variables, more);
    copy->directory = lay_text(&next, command->directory);
    copy->user = lay_text(&next, command->user);
    copy->key = NULL;
    return memory;
}

void child_memory_free(struct child_memory *memory) {
    if (memory == NULL) return;
    if (memory->length == GUARD + STACK + USUAL && spare_count < SPARE_MAX) {
        spare[spare_count++] = memory;
    } else {
        munmap((char *)memory - STACK - GUARD, memory->length);
    }
}
