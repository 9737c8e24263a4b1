/* The entry of a fuzz target. libFuzzer calls it with what it makes up (make fuzz); replay.c with what is kept in
 * corpus/ (make check). A finding is a sanitizer's report or an abort. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
