#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **variables;

void environment_set_variables(char **replacement) {
    free(variables);
    variables = replacement;
}

static size_t count_of(char *const *entries) {
    size_t count = 0;
    while (entries != NULL && entries[count] != NULL) count++;
    return count;
}

static void add_if_missing(char **entries, size_t *count, char *entry) {
    size_t length = (size_t)(strchrnul(entry, '=') - entry);
    for (size_t i = 0; i < *count; i++) {
        if (strncmp(entries[i], entry, length) == 0 && entries[i][length] == '=') return;
    }
    entries[(*count)++] = entry;
}

char **environment_complete(char *const *own, const char *home, bool terminal) {
    static char term[] = "TERM=xterm";
    size_t count = count_of(own), size = strlen(home) + sizeof "HOME=";
    char **entries = calloc(count + count_of(variables) + 3, sizeof *entries);
    char *home_entry = malloc(size);
    if (entries == NULL || home_entry == NULL) {
        free(entries);
        free(home_entry);
        return NULL;
    }
    snprintf(home_entry, size, "HOME=%s", home);
    memcpy(entries, own, count * sizeof *entries);
    for (char **v = variables; v != NULL && *v != NULL; v++) add_if_missing(entries, &count, *v);
    add_if_missing(entries, &count, home_entry);
    if (terminal) add_if_missing(entries, &count, term);
    return entries;
}
