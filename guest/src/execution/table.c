#include "execution/table.h"

#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "wire/frame.h"

static struct execution executions[EXECUTIONS_MAX];
static int end;
static uint32_t last_id;

bool execution_is_init(const struct execution *execution) { return (execution->flags & EXEC_INIT) != 0; }

uint32_t exit_kind(int status) { return WIFSIGNALED(status); }

uint32_t exit_value(int status) { return (uint32_t)(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)); }

int table_end(void) { return end; }

struct execution *table_at(int slot) { return executions[slot].id == 0 ? NULL : &executions[slot]; }

struct execution *table_find(uint32_t id) {
    for (int i = 0; i < end && id != 0; i++) {
        if (executions[i].id == id) return &executions[i];
    }
    return NULL;
}

struct execution *table_find_started(uint32_t id) {
    struct execution *e = table_find(id);
    return e != NULL && e->announced && e->failure.code == 0 ? e : NULL;
}

struct execution *table_find_lasting(uint32_t id) {
    struct execution *e = table_find_started(id);
    return e == NULL || e->file ? NULL : e;
}

struct execution *table_find_key(const char *key) {
    for (int i = 0; i < end; i++) {
        if (executions[i].id != 0 && strcmp(executions[i].key, key) == 0) return &executions[i];
    }
    return NULL;
}

static uint32_t next_id(void) {
    do {
        last_id = (last_id + 1) & ~DIAL_ID;
    } while (last_id == 0 || table_find(last_id) != NULL);
    return last_id;
}

struct execution *table_add(void) {
    for (int i = 0; i < EXECUTIONS_MAX; i++) {
        if (executions[i].id != 0) continue;
        if (i >= end) end = i + 1;
        executions[i] = (struct execution){.id = next_id()};
        return &executions[i];
    }
    return NULL;
}

void table_remove(struct execution *e) {
    e->id = 0;
    while (end > 0 && executions[end - 1].id == 0) end--;
}
