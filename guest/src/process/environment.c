#include "process/environment.h"

#include <stdlib.h>
#include <string.h>

static char **variables;

void environment_set_variables(char **replacement) {
    free(variables);
    variables = replacement;
}

char *const *environment_variables(void) { return variables; }

static void add_if_missing(char **entries, size_t *count, char *entry) {
    size_t length = (size_t)(strchrnul(entry, '=') - entry);
    for (size_t i = 0; i < *count; i++) {
        if (strncmp(entries[i], entry, length) == 0 && entries[i][length] == '=') return;
    }
    entries[(*count)++] = entry;
}

void environment_complete(char **entries, char *const *added, char *home, bool terminal) {
    static char term[] = "TERM=xterm";
    size_t count = 0;
    while (entries[count] != NULL) count++;
    for (; *added != NULL; added++) add_if_missing(entries, &count, *added);
    add_if_missing(entries, &count, home);
    if (terminal) add_if_missing(entries, &count, term);
    entries[count] = NULL;
}
