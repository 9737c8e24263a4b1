/* An agent that says a correct hello and lies when it is told to: what a guest can do to its host whose root has
 * replaced the agent. The first argument of an EXEC, or the last part of a FILE's path, names the lie (the tables at the
 * ends); apart from it the agent is correct, so that a test sees what one lie does. It ignores SHUTDOWN.
 *
 * make -C guest hostile OUT=… builds it, into an initramfs of its own. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"
#include "wire/port.h"

struct conversation {
    int fd; /* 0: the port has not come yet */
    struct frame_parser parser;
    void (*flood)(struct conversation *); /* sends a little more each time, until the next RESET */
    uint32_t stream, request;             /* of the present EXEC or FILE */
    uint64_t offset;
    uint64_t credit;
    uint32_t file_operation; /* 0: it is an EXEC */
};

/* By port. */
extern struct conversation conversations[PORTS];

struct lie {
    const char *name;
    void (*tell)(struct conversation *);
};

/* Each ends with a NULL. */
extern const struct lie FRAME_LIES[], EXECUTION_LIES[], MESSAGE_LIES[], RECORD_LIES[];

extern const uint8_t FILL[32 * 1024];

/* Bytes as they are; gives up when the host is gone. */
void raw(struct conversation *c, const void *bytes, size_t length);

/* Frames: any, those without flags, and those of numbers of 32 bits. */
void send_as(struct conversation *c, uint16_t type, uint16_t flags, uint32_t stream, uint32_t request, const void *payload,
             size_t length);
void say(struct conversation *c, uint16_t type, uint32_t stream, uint32_t request, const void *payload, size_t length);
void numbers(struct conversation *c, uint16_t type, uint32_t stream, uint32_t request, int count, const uint64_t *values);

/* What a correct agent says of the present EXEC or FILE. */
void started_as(struct conversation *c, uint32_t stream, uint32_t credit);
void started(struct conversation *c);
void output_at(struct conversation *c, uint16_t type, uint32_t stream, uint64_t offset, const void *bytes, size_t length);
void output(struct conversation *c, const void *bytes, size_t length);
void exited(struct conversation *c);

/* As much of it as was granted; a flood. */
void allowed_output(struct conversation *c);
