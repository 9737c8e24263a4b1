/* The honest alternative to the guest channel: process 1 of a guest that does nothing but move bytes over one
 * virtio-serial port, as fast as the device allows. Commands of 16 bytes: u32 what, u32 piece, u64 bytes.
 *   what 1: sends back each piece that it reads, until so many bytes were echoed
 *   what 2: writes so many bytes, in pieces
 *   what 3: reads so many bytes, then answers with one
 *   what 4: like 2, but a child writes them, as dd does from /dev/zero, into a pipe that is emptied here
 *   what 5: like 3, but a child reads them, from a pipe that is filled here, to the last
 *   what 6: like 4, but the child writes 4 KiB at a time */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ECHO = 1, SOURCE, SINK, PIPED_SOURCE, PIPED_SINK, TALKER };
enum { PIECE_MAX = 256 * 1024, PIPE = 256 * 1024, CHUNK = 64 * 1024, SMALL_CHUNK = 4 * 1024 };

static uint8_t piece[PIECE_MAX];

static void load_modules(void) {
    char line[128], name[64], path[128];
    FILE *list = fopen("/modules/list", "re");
    if (list == NULL) return;
    while (fgets(line, sizeof line, list) != NULL) {
        if (sscanf(line, "%63s", name) != 1 || strcmp(name, "-") == 0) continue;
        snprintf(path, sizeof path, "/modules/%s.ko", name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) syscall(SYS_finit_module, fd, "", 0);
        if (fd >= 0) close(fd);
    }
    fclose(list);
}

/* The port appears a moment after its driver. */
static int open_port(void) {
    for (;;) {
        int fd = open("/dev/vport0p1", O_RDWR | O_CLOEXEC);
        if (fd < 0) fd = open("/dev/vport1p1", O_RDWR | O_CLOEXEC);
        if (fd >= 0) return fd;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* A read of nothing means that no host is connected yet. */
static size_t take(int port, void *bytes, size_t wanted) {
    for (;;) {
        ssize_t n = read(port, bytes, wanted);
        if (n > 0) return (size_t)n;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void give(int file, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(file, bytes, length);
        if (n <= 0) continue;
        bytes += n;
        length -= (size_t)n;
    }
}

static size_t at_most(uint64_t left, size_t most) { return left < most ? (size_t)left : most; }

static void move(int port, uint32_t what, size_t most, uint64_t bytes) {
    for (uint64_t left = bytes; left > 0;) {
        size_t n = at_most(left, most);
        if (what != SOURCE) n = take(port, piece, n);
        if (what != SINK) give(port, piece, n);
        left -= n;
    }
}

/* From one file to the other, as a program does. */
__attribute__((noreturn)) static void copy(int from, int to, size_t chunk, uint64_t bytes) {
    for (uint64_t left = bytes; left > 0;) {
        ssize_t n = read(from, piece, at_most(left, chunk));
        if (n <= 0 || write(to, piece, (size_t)n) != n) _exit(1);
        left -= (uint64_t)n;
    }
    _exit(0);
}

/* The child that writes or reads so many bytes; answers this side's end of the pipe. */
static int start_child(uint32_t what, uint64_t bytes) {
    int ends[2];
    bool writes = what != PIPED_SINK;
    if (pipe(ends) != 0) _exit(1);
    fcntl(ends[0], F_SETPIPE_SZ, PIPE);
    int own = ends[writes ? 0 : 1], others = ends[writes ? 1 : 0];
    if (fork() == 0) {
        close(own);
        if (writes) copy(open("/dev/zero", O_RDONLY), others, what == TALKER ? SMALL_CHUNK : CHUNK, bytes);
        copy(others, open("/dev/null", O_WRONLY), CHUNK, bytes);
    }
    close(others);
    return own;
}

static void move_by_pipe(int port, uint32_t what, size_t most, uint64_t bytes) {
    int end = start_child(what, bytes);
    for (uint64_t left = bytes; left > 0;) {
        size_t n = at_most(left, most);
        if (what != PIPED_SINK) {
            ssize_t got = read(end, piece, n);
            if (got <= 0) break;
            n = (size_t)got;
            give(port, piece, n);
        } else {
            /* The port gives a page at a time; to wake the child for each would cost more than the bytes do. */
            for (size_t have = 0; have < n;) have += take(port, piece + have, n - have);
            give(end, piece, n);
        }
        left -= n;
    }
    close(end);
    wait(NULL);
}

static void obey(int port) {
    struct {
        uint32_t what, piece;
        uint64_t bytes;
    } command;
    for (size_t have = 0; have < sizeof command;) {
        have += take(port, (uint8_t *)&command + have, sizeof command - have);
    }
    size_t most = command.piece == 0 || command.piece > PIECE_MAX ? PIECE_MAX : command.piece;
    bool piped = command.what >= PIPED_SOURCE;
    (piped ? move_by_pipe : move)(port, command.what, most, command.bytes);
    if (command.what == SINK || command.what == PIPED_SINK) give(port, piece, 1);
}

int main(void) {
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    load_modules();
    int port = open_port();
    for (;;) obey(port);
}
