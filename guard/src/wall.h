/* A wall of Landlock: what of the file system may be reached, by the version of it that the kernel has. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* As include/uapi/linux/landlock.h has them, of which older systems have less. */
enum {
    WALL_EXECUTE = 1 << 0,
    WALL_WRITE_FILE = 1 << 1,
    WALL_READ_FILE = 1 << 2,
    WALL_READ_DIR = 1 << 3,
    WALL_REMOVE_DIRECTORY = 1 << 4,
    WALL_REMOVE_FILE = 1 << 5,
    WALL_MAKE_FILE = 1 << 8,
    WALL_MAKE_SOCKET = 1 << 9,
    WALL_TRUNCATE = 1 << 14,
    WALL_IOCTL_DEVICE = 1 << 15,
    WALL_READS = WALL_READ_FILE,
    WALL_WRITES = WALL_READ_FILE | WALL_WRITE_FILE | WALL_TRUNCATE | WALL_IOCTL_DEVICE,
    WALL_RUNS = WALL_READ_FILE | WALL_READ_DIR | WALL_EXECUTE,
};

struct wall {
    int rules; /* -1: the kernel has none */
    uint64_t handled;
};

/* One that lets nothing through; with `outside` no TCP, abstract sockets and signals either. */
struct wall wall_begin(bool outside);

/* Lets these rights at a path and below it through. What is not there needs no rule. */
void wall_allow(const struct wall *wall, const char *path, uint64_t rights);

/* The directory that a file is in. */
void wall_allow_around(const struct wall *wall, const char *file, uint64_t rights);

/* Where systems have programs and libraries. */
void wall_allow_system(const struct wall *wall);

/* PREFIX/share and PREFIX/lib of PREFIX/bin/PROGRAM. */
void wall_allow_beside(const struct wall *wall, const char *program);

/* Puts the calling thread behind it, for ever. */
void wall_enter(const struct wall *wall);

void wall_close(struct wall *wall);

/* Leaves the calling thread what it has open, and nothing else: no file, and by newer kernels no TCP, no abstract socket of others
 * and no signal to others. Without Landlock it does nothing. */
void wall_around_nothing(void);
