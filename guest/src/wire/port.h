/* The nine ports that hosts speak on: the first from the start, the others once a host has plugged them in. A port that
 * its host does not read fills its own queue and no other: then its requests wait, and so does the output of the
 * executions that it started. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/uio.h>

#include "wire/frame.h"
#include "wire/frame_out.h"
#include "wire/message.h"

enum { PORTS = 9, NO_PORT = -1 };

/* The last: of published ports, whose host may DIAL and nothing else. */
enum { PORT_OF_PUBLISHED = PORTS - 1 };

/* Who handles what hosts say. */
struct port_callbacks {
    void (*connected)(int port);    /* a host has opened it by a RESET, which is answered; the port has room */
    void (*disconnected)(int port); /* the host has gone, or another takes its place */
    bool (*waits)(const struct frame *frame); /* whether the frame cannot be handled yet */
    void (*handle)(int port, struct message *message, const struct frame *frame); /* the port has room for one answer */
};

/* Before the first port is opened; the callbacks stay. */
void ports_open(const struct port_callbacks *callbacks);

/* Serves a port, whose device is open for reading and writing, non-blocking. */
void port_open(unsigned index, int fd);
bool port_is_open(unsigned index);

void port_event(unsigned index);

/* Reads, handles and writes what can be; answers whether more could be done at once. */
bool ports_pump(void);

/* When ports_pump is to be called even without an event, in milliseconds as by now_ms. */
int64_t ports_deadline(void);

/* Calls `connected` once more for every port that was opened by a RESET. */
void ports_ready(void);

/* Counts the connections of a port: an answer that comes late belongs to the one that asked. */
uint32_t port_connection(int port);

/* Whether one more answer, event or grant fits. */
bool port_has_room(int port);

/* How many bytes of payload a frame may have now, if the port has room at all. */
size_t port_payload_room(int port);

/* Whether output can be sent now: it is never queued, and waits for all that is. */
bool port_takes_data(int port);

/* Sends a piece of output, at most FRAME_OUT_MAX bytes; false if the port does not take it now. */
bool port_send_data(int port, uint16_t type, uint32_t stream, uint64_t offset, const struct iovec *slices, int count);

/* The caller has made sure of the room. */
void port_send(int port, const struct frame *frame, const uint8_t *prefix, size_t prefix_length);

void port_done(int port, uint32_t request);
void port_failed(int port, uint32_t request, int code, const char *sentence);

/* Sends the frame on every port that has a host, and waits up to so many milliseconds until it is written. */
void ports_farewell(const struct frame *frame, int milliseconds);
