/* CRC-32 as in IEEE 802.3 and zlib. Only headers of 20 bytes are summed, so a table of 16 entries is enough. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const uint8_t *bytes, size_t length);
