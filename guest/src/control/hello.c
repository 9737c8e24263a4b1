#include "control/hello.h"

#include <stdint.h>
#include <string.h>

#include "sys/clock.h"
#include "wire/bytes.h"
#include "wire/port.h"

enum { PROTOCOL_VERSION = 2 };
static const char AGENT_VERSION[] = "0.1.0";

static uint64_t started, ready;

void hello_note_start(void) { started = clock_ns(CLOCK_BOOTTIME); }

void hello_note_ready(void) { ready = clock_ns(CLOCK_BOOTTIME); }

bool hello_is_ready(void) { return ready != 0; }

void hello_send(int port) {
    if (!hello_is_ready()) return;
    uint8_t payload[4 + 8 + 8 + 4 + sizeof AGENT_VERSION - 1];
    put32(payload, PROTOCOL_VERSION);
    put64(payload + 4, started);
    put64(payload + 12, ready);
    put32(payload + 20, sizeof AGENT_VERSION - 1);
    memcpy(payload + 24, AGENT_VERSION, sizeof AGENT_VERSION - 1);
    port_send(port, &(struct frame){.type = HELLO, .length = sizeof payload, .payload = payload}, NULL, 0);
}
