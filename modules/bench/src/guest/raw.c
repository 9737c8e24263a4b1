/* The honest alternative to the guest channel: process 1 of a guest that does nothing but move bytes over one
 * virtio-serial port, as fast as the device allows. Commands of 16 bytes: u32 what, u32 piece, u64 bytes.
 *   what 1: sends back each piece that it reads, until so many bytes were echoed
 *   what 2: writes so many bytes, in pieces
 *   what 3: reads so many bytes, then answers with one */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ECHO = 1, SOURCE, SINK, PIECE_MAX = 256 * 1024 };

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

static void give(int port, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(port, bytes, length);
        if (n <= 0) continue;
        bytes += n;
        length -= (size_t)n;
    }
}

static size_t at_most(uint64_t left, size_t most) { return left < most ? (size_t)left : most; }

static void obey(int port) {
    struct {
        uint32_t what, piece;
        uint64_t bytes;
    } command;
    for (size_t have = 0; have < sizeof command;) {
        have += take(port, (uint8_t *)&command + have, sizeof command - have);
    }
    size_t most = command.piece == 0 || command.piece > PIECE_MAX ? PIECE_MAX : command.piece;
    for (uint64_t left = command.bytes; left > 0;) {
        size_t n = at_most(left, most);
        if (command.what != SOURCE) n = take(port, piece, n);
        if (command.what != SINK) give(port, piece, n);
        left -= n;
    }
    if (command.what == SINK) give(port, piece, 1);
}

int main(void) {
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    load_modules();
    int port = open_port();
    for (;;) obey(port);
}
