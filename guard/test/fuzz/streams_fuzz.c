/* What a guest says on cloche.ports: the input is what happens, one byte for each event and what belongs to it. */
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../src/streams.h"
#include "wire/bytes.h"
#include "wire/frame.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

enum { CLIENTS = 8 };

static uint8_t sent[1 << 18];
static size_t sent_length;
static uint32_t last_request;

bool channel_has_room(uint32_t payload) { return sizeof sent - sent_length >= GUEST_FRAME_HEADER + payload + GUEST_FRAME_SEAL; }

/* What is sent to a guest is a frame that its agent knows, also after any of its lies. */
void channel_send(uint16_t type, uint32_t stream, uint32_t request, const uint8_t *payload, uint32_t length) {
    CHECK(channel_has_room(length));
    CHECK(type == DIAL || type == STDIN || type == STDIN_EOF || type == CREDIT || type == HANG_UP);
    CHECK((type == DIAL) == (stream == 0) && (type == DIAL) == (request != 0));
    if (type == DIAL) last_request = request;
    sent_length += guest_frame_write(sent + sent_length, type, stream, request, payload, length);
}

static void let_all_be_done(void) {
    struct pollfd events[STREAMS];
    streams_watch(events);
    CHECK(poll(events, STREAMS, 0) >= 0);
    streams_handle(events);
    streams_pump();
    sent_length = 0;
}

/* Ends every stream that is left: by the guest's word on each id that may be. */
static void forget_all(void) {
    for (uint32_t request = 1; request <= last_request; request++) {
        streams_hear(&(struct guest_frame){.type = FAILED, .request = request});
    }
    for (uint32_t id = 0; id < 256; id++) streams_hear(&(struct guest_frame){.type = RESET_BY_GUEST, .stream = DIAL_ID | id});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int clients[CLIENTS], count = 0;
    uint8_t hello[4] = {2};
    signal(SIGPIPE, SIG_IGN);
    streams_hear(&(struct guest_frame){.type = HELLO, .length = 4, .payload = hello});
    while (size >= 8) {
        uint8_t event = data[0], which = data[1];
        uint32_t length = get16(data + 2) % 1024;
        const struct guest_frame frame = {.type = (uint16_t)(RESET_ACK + event % 32),
                                          .stream = which == 0 ? 0 : DIAL_ID | which,
                                          .request = data[4] == 0 ? 0 : last_request - data[4] + 1,
                                          .length = length > size - 8 ? (uint32_t)(size - 8) : length,
                                          .payload = data + 8};
        data += 8;
        size -= 8;
        if (event >= 224 && count < CLIENTS && streams_have_room()) {
            int pair[2];
            CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
            clients[count++] = pair[0];
            streams_add(pair[1], which);
        } else if (event >= 192 && count > 0) {
            ssize_t n = event % 2 == 0 ? write(clients[which % count], data, size < 100 ? size : 100)
                                       : shutdown(clients[which % count], SHUT_WR);
            (void)n;
        } else if (event >= 160) {
            let_all_be_done();
        } else {
            data += frame.length;
            size -= frame.length;
            if (!streams_hear(&frame)) break;
        }
    }
    let_all_be_done();
    for (int i = 0; i < count; i++) close(clients[i]);
    let_all_be_done();
    forget_all();
    return 0;
}
