#include "files/watched_tree.h"

#include <stdlib.h>
#include <string.h>

/* A power of two; watches are numbered one after the other. */
enum { CHAINS = 4096 };

static struct watched {
    char *name; /* NULL: the place is free */
    int watch;
    int parent;
    int next; /* in its chain, or of the free places */
} places[WATCHED_MAX];

static int chains[CHAINS];
static int free_places = WATCHED_NONE, used;

static int *chain_of(int watch) { return &chains[(unsigned)watch % CHAINS]; }

void watched_clear(void) {
    for (int i = 0; i < used; i++) free(places[i].name);
    for (int i = 0; i < CHAINS; i++) chains[i] = WATCHED_NONE;
    memset(places, 0, (size_t)used * sizeof *places);
    free_places = WATCHED_NONE;
    used = 0;
}

int watched_add(int watch, int parent, const char *name) {
    int place = free_places;
    if (place == WATCHED_NONE && used == WATCHED_MAX) return WATCHED_NONE;
    char *copy = strdup(name);
    if (copy == NULL) return WATCHED_NONE;
    if (place == WATCHED_NONE) place = used++;
    else free_places = places[place].next;
    int *chain = chain_of(watch);
    places[place] = (struct watched){.name = copy, .watch = watch, .parent = parent, .next = *chain};
    *chain = place;
    return place;
}

int watched_find(int watch) {
    int place = *chain_of(watch);
    while (place != WATCHED_NONE && places[place].watch != watch) place = places[place].next;
    return place;
}

int watched_child(int parent, const char *name) {
    for (int i = 0; i < used; i++) {
        if (places[i].name != NULL && places[i].parent == parent && strcmp(places[i].name, name) == 0) return i;
    }
    return WATCHED_NONE;
}

bool watched_path(int place, const char *name, struct path_stack *path) {
    int above[ENTRY_DEPTH_MAX], depth = 0;
    for (; places[place].parent != WATCHED_NONE; place = places[place].parent) {
        if (depth == ENTRY_DEPTH_MAX) return false;
        above[depth++] = place;
    }
    *path = (struct path_stack){0};
    while (depth > 0) {
        if (!path_stack_push(path, places[above[--depth]].name)) return false;
    }
    return path_stack_push(path, name);
}

static void forget(int place) {
    int *link = chain_of(places[place].watch);
    while (*link != place) link = &places[*link].next;
    *link = places[place].next;
    free(places[place].name);
    places[place] = (struct watched){.next = free_places};
    free_places = place;
}

static bool lies_below(int place, int top) {
    while (place != WATCHED_NONE && place != top) place = places[place].parent;
    return place == top;
}

void watched_remove(int place, void (*gone)(int watch)) {
    static bool below[WATCHED_MAX];
    /* All are found before the first is forgotten, because each is found by its parents. */
    for (int i = 0; i < used; i++) below[i] = places[i].name != NULL && lies_below(i, place);
    for (int i = 0; i < used; i++) {
        if (!below[i]) continue;
        gone(places[i].watch);
        forget(i);
    }
}
