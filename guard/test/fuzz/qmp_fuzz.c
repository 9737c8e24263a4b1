/* Parsing stays within its input for any bytes of QEMU on the guard's monitor. Each byte sequence is one line; the
 * guard finds their ends by itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../../guest/test/fuzz/fuzz.h"
#include "../../src/qmp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Memory of just this size, so that a byte too many is noticed. */
    char *line = malloc(size);
    if (size > 0) memcpy(line, data, size);
    struct qmp_message message = qmp_parse(line, size);
    free(line);
    CHECK(message.kind == QMP_IO_ERROR || message.trouble == DISK_FINE);
    CHECK(!message.halted_by_disk || !message.running);
    return 0;
}
