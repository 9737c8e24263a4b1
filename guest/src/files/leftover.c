#include "files/leftover.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The handler may come between any two instructions, and sees the rest only while `present` is set. */
static volatile sig_atomic_t present;
static struct {
    int directory;
    int fd;
    char name[4096];
} leftover;

static bool is_ours(void) {
    struct stat named, ours;
    return leftover.fd < 0 || (fstat(leftover.fd, &ours) == 0 &&
                               fstatat(leftover.directory, leftover.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                               named.st_dev == ours.st_dev && named.st_ino == ours.st_ino);
}

/* Only calls that a signal handler may make. */
void leftover_remove(void) {
    if (present && is_ours()) unlinkat(leftover.directory, leftover.name, 0);
    present = 0;
}

static void terminated(int number) {
    leftover_remove();
    _exit(128 + number);
}

void leftover_guard(void) {
    struct sigaction action = {.sa_handler = terminated};
    sigaction(SIGTERM, &action, NULL);
}

void leftover_is(int directory, const char *name, int fd) {
    leftover_none();
    leftover.directory = directory;
    leftover.fd = fd;
    snprintf(leftover.name, sizeof leftover.name, "%s", name);
    atomic_signal_fence(memory_order_seq_cst);
    present = 1;
}

void leftover_none(void) {
    present = 0;
    atomic_signal_fence(memory_order_seq_cst);
}
