/* The hosts' ports: they check what they are told. */
#include <sys/uio.h>

#include "dial/connection.h"
#include "dial/dial.h"
#include "execution/execution.h"
#include "execution/table.h"
#include "wire/port.h"
#include "dispatch_world.h"
#include "fuzz.h"

bool room[HOSTS];

static void check_frame(int port, const struct frame *frame, size_t length) {
    CHECK(port >= 0 && port < HOSTS && length <= FRAME_PAYLOAD_MAX && frame->type >= RESET_ACK && frame->type <= RESET_BY_GUEST && frame->type != HANG_UP);
}

void port_send(int port, const struct frame *frame, const uint8_t *prefix, size_t prefix_length) {
    uint64_t sum = 0;
    check_frame(port, frame, frame->length + prefix_length);
    for (size_t i = 0; i < prefix_length; i++) sum += prefix[i];
    for (size_t i = 0; i < frame->length; i++) sum += frame->payload[i];
    __asm__ volatile("" ::"r"(sum));
}

bool port_send_data(int port, uint16_t type, uint32_t stream, uint64_t offset, const struct iovec *slices, int count) {
    size_t length = 0;
    CHECK(type == STDOUT || type == STDERR);
    if (dial_is(stream)) {
        struct connection *c = connection_find(stream);
        CHECK(c != NULL && c->port == port && c->open && !c->said_end && offset == c->sent && type == STDOUT);
        CHECK(count == 1 && slices[0].iov_len > 0 && slices[0].iov_len <= c->credit);
        return room[port];
    }
    struct execution *e = table_find(stream);
    CHECK(e != NULL && e->port == port && e->announced && !e->said_exited);
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < slices[i].iov_len; k++) {
            CHECK(((uint8_t *)slices[i].iov_base)[k] == (uint8_t)(offset + length + k)); /* as a process writes them */
        }
        length += slices[i].iov_len;
    }
    CHECK(length > 0 && length <= FRAME_OUT_MAX && length <= e->outputs[type - STDOUT].credit);
    return room[port];
}

void port_done(int port, uint32_t request) { port_send(port, &(struct frame){.type = DONE, .request = request}, NULL, 0); }

void port_failed(int port, uint32_t request, int code, const char *sentence) {
    CHECK(request != 0 && code >= BAD_REQUEST && code <= CONNECTION_REFUSED && strlen(sentence) > 5);
    port_send(port, &(struct frame){.type = FAILED, .request = request}, NULL, 0);
}

bool port_has_room(int port) { return port >= HOSTS || room[port]; }
bool port_takes_data(int port) { return room[port]; }
size_t port_payload_room(int port) { (void)port; return 3000; }
uint32_t port_connection(int port) { (void)port; return 0; }
