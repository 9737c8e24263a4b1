#include "files/temp_cleanup.h"

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
} file;

static bool is_ours(void) {
    struct stat named, ours;
    return file.fd < 0 || (fstat(file.fd, &ours) == 0 &&
                           fstatat(file.directory, file.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                           named.st_dev == ours.st_dev && named.st_ino == ours.st_ino);
}

/* Only calls that a signal handler may make. */
void temp_cleanup_remove(void) {
    if (present && is_ours()) unlinkat(file.directory, file.name, 0);
    present = 0;
}

static void terminated(int number) {
    temp_cleanup_remove();
    _exit(128 + number);
}

void temp_cleanup_on_sigterm(void) {
    struct sigaction action = {.sa_handler = terminated};
    sigaction(SIGTERM, &action, NULL);
}

void temp_cleanup_register(int directory, const char *name, int fd) {
    temp_cleanup_forget();
    file.directory = directory;
    file.fd = fd;
    snprintf(file.name, sizeof file.name, "%s", name);
    atomic_signal_fence(memory_order_seq_cst);
    present = 1;
}

void temp_cleanup_forget(void) {
    present = 0;
    atomic_signal_fence(memory_order_seq_cst);
}
