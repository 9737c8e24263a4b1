/* FREEZE and THAW of the writable layer, if that is on a disk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of the layer in memory, or of the disk's file system; stays open. */
void freeze_open(int directory, bool on_disk);

/* Answer 0 if it is done, or begun and an answer follows (then *begun); or a failure code with its sentence. */
int freeze_begin(int port, uint32_t request, uint32_t milliseconds, bool *begun, const char **sentence);
int thaw_begin(int port, uint32_t request, bool *begun, const char **sentence);

bool freeze_is_on(void);

/* Thaws when no host has in time; answers when that is due, in milliseconds as by now_ms. */
void freeze_pump(void);
int64_t freeze_deadline(void);

/* At the end of the VM. */
void freeze_end(void);
