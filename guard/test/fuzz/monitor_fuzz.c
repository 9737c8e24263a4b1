/* The guard's monitor bears any bytes, in pieces of any size: the first byte says how large they are. */
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../guest/test/fuzz/fuzz.h"
#include "../../src/monitor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct monitor monitor;
    if (size == 0) return 0;
    size_t piece = (size_t)data[0] * 16 + 1;
    monitor_open(&monitor);
    size_t lines = 0, ends = 0;
    for (size_t at = 1; at < size && monitor.fd >= 0; at += piece) {
        size_t length = size - at < piece ? size - at : piece;
        for (size_t i = 0; i < length; i++) ends += data[at + i] == '\n';
        CHECK(send(monitor.program_end, data + at, length, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length);
        struct qmp_message message;
        bool there = monitor_fill(&monitor);
        while (monitor.fd >= 0 && monitor_next(&monitor, &message)) lines++;
        CHECK(monitor.filled <= MONITOR_LINE_MAX && there == (monitor.fd >= 0));
        CHECK(memchr(monitor.line, '\n', monitor.filled) == NULL);
    }
    /* Each line once, but for those after one without an end. */
    CHECK(monitor.fd < 0 || lines == ends);
    close(monitor.program_end);
    monitor_close(&monitor);
    return 0;
}
