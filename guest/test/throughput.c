/* What a program in the guest reaches without the agent, to compare it with: throughput.py.
 *   throughput write PORT BYTES       writes to a port, 32 KiB at a time
 *   throughput relay PORT             from its stdin to a port, by a pipe as large as that of a busy execution
 *   throughput produce BYTES          writes 64 KiB at a time to its stdout
 *   throughput consume BYTES [PORT]   reads from a port, or from its stdin */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buffer[65536];

static void write_all(int port, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(port, bytes, length);
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        } else {
            struct pollfd ready = {.fd = port, .events = POLLOUT};
            poll(&ready, 1, -1);
        }
    }
}

static long long consume(int fd, long long left) {
    while (left > 0) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n == 0 && fd == 0) break;
        if (n > 0) {
            left -= n;
        } else {
            struct pollfd ready = {.fd = fd, .events = POLLIN};
            poll(&ready, 1, -1);
        }
    }
    return left;
}

int main(int count, char **v) {
    if (count < 3) return 64;
    const char *mode = v[1];
    long long bytes = atoll(v[count > 3 && strcmp(mode, "consume") != 0 ? 3 : 2]);
    if (strcmp(mode, "produce") == 0) {
        for (; bytes > 0; bytes -= (long long)sizeof buffer) {
            if (write(1, buffer, sizeof buffer) != sizeof buffer) return 1;
        }
        return 0;
    }
    if (strcmp(mode, "consume") == 0) {
        long long left = consume(count > 3 ? open(v[3], O_RDWR | O_NONBLOCK) : 0, bytes);
        printf("%lld left\n", left);
        return 0;
    }
    int port = open(v[2], O_RDWR | O_NONBLOCK);
    if (strcmp(mode, "write") == 0) {
        for (; bytes > 0; bytes -= 32768) write_all(port, buffer, 32768);
    } else {
        fcntl(0, F_SETPIPE_SZ, 1024 * 1024);
        for (ssize_t n; (n = read(0, buffer, 32768)) > 0;) write_all(port, buffer, (size_t)n);
    }
    return 0;
}
