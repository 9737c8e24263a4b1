/* The one event loop. Everything is edge-triggered: a port without a host and a pipe without a writer report a
 * hang-up for ever, and would keep a level-triggered loop busy. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What kind of descriptor an event is of. */
enum source { CHILDREN, DEVICES, PORT, LOG_PORT, REPORT, INPUT, OUTPUT_1, OUTPUT_2, READINESS, DIALED };

/* What the loop calls. */
struct loop_callbacks {
    void (*event)(enum source source, uint32_t id);
    bool (*pump)(void);        /* moves what can be moved; answers whether more could be done at once */
    int64_t (*deadline)(void); /* when to pump even without an event, in milliseconds as by now_ms */
};

/* The callbacks stay. */
void loop_open(const struct loop_callbacks *callbacks);

/* Watches a descriptor for reading (EPOLLIN) or writing (EPOLLOUT) or both; `id` comes back with its events. */
void loop_watch(int fd, uint32_t events, enum source source, uint32_t id);

/* Changes what a descriptor is watched for, 0 for nothing; what is so already comes back as an event. */
void loop_rewatch(int fd, uint32_t events, enum source source, uint32_t id);

/* Stops watching and closes. Explicitly, because a child that has not yet called exec may hold a copy. */
void loop_close(int fd);

/* Handles what is there and moves what can be moved; waits for the first event if `wait`. */
void loop_once(int wait);
