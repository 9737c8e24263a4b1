/* Builds a frame of output in one buffer, for one write: the kernel's driver takes at most 32 KiB of a write
 * (port_fops_write in drivers/char/virtio_console.c), all of it or nothing, and tells the host of each. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "wire/frame.h"

enum { WRITE_MAX = 32 * 1024, PREFIX_MAX = 16, FRAME_OUT_MAX = WRITE_MAX - FRAME_HEADER - PREFIX_MAX - FRAME_SEAL };

/* The bytes of the frame, until the next call; prefix and slices are together its payload. */
const uint8_t *frame_out_make(uint16_t type, uint32_t stream, const uint8_t *prefix, size_t prefix_length,
                          const struct iovec *slices, int count, size_t *length);
