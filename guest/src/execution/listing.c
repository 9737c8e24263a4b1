#include "execution/listing.h"

#include <stdlib.h>
#include <string.h>

#include "execution/table.h"
#include "wire/bytes.h"
#include "wire/port.h"

enum { ENTRY_MAX = 4 * 7 + 8 * 6 + 4 + PROGRAM_MAX + 4 + KEY_MAX };

static int by_id(const void *a, const void *b) {
    uint32_t first = (*(struct execution *const *)a)->id, second = (*(struct execution *const *)b)->id;
    return first < second ? -1 : first > second;
}

static uint8_t *put_text(uint8_t *out, const char *text) {
    uint32_t length = (uint32_t)strlen(text);
    put32(out, length);
    memcpy(out + 4, text, length);
    return out + 4 + length;
}

static size_t put_entry(uint8_t *out, const struct execution *e) {
    uint32_t words[] = {
        e->id,
        (uint32_t)e->pid,
        e->flags,
        e->ended,
        e->ended ? exit_kind(e->status) : 0,
        e->ended ? exit_value(e->status) : 0,
        e->port != NO_PORT,
    };
    const struct window *first = &e->outputs[0].window, *second = &e->outputs[1].window;
    uint64_t longs[] = {e->started_at, e->ended_at, first->start, first->end, second->start, second->end};
    uint8_t *next = out;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++, next += 4) put32(next, words[i]);
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++, next += 8) put64(next, longs[i]);
    next = put_text(next, e->program);
    if ((e->flags & EXEC_KEYED) != 0) next = put_text(next, e->key);
    return (size_t)(next - out);
}

void listing_send(int port, uint32_t request, uint32_t above) {
    static struct execution *found[EXECUTIONS_MAX];
    static uint8_t payload[FRAME_PAYLOAD_MAX];
    size_t count = 0, room = port_payload_room(port), length = 4;
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        if (e != NULL && e->id > above && table_find_lasting(e->id) == e) found[count++] = e;
    }
    qsort(found, count, sizeof *found, by_id);
    uint32_t listed = 0;
    while (listed < count && length + ENTRY_MAX <= room) length += put_entry(payload + length, found[listed++]);
    put32(payload, listed);
    port_send(port, &(struct frame){.type = LISTING, .request = request, .length = (uint32_t)length, .payload = payload},
              NULL, 0);
}
