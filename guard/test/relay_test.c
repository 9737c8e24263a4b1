/* The relay as the guard starts it, looked at where it is about to get its filter: what it may still call then reaches nothing. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/confine.h"
#include "../src/relay.h"

enum { SCOPES = 6, HELD = 40 };

#define FAIL(...) (dprintf(STDOUT_FILENO, "relay_test.c: " __VA_ARGS__), _exit(1))

static long version;
static pid_t parent;
static struct sockaddr_un name = {.sun_family = AF_UNIX};
static socklen_t name_length;
static int file;

bool __wrap_confine_to_relaying(void);

bool __wrap_confine_to_relaying(void) {
    char byte;
    const char *const paths[] = {"/etc/passwd", "/dev/null", "/proc/self/status", "/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (open(paths[i], O_RDONLY) >= 0 || errno != EACCES) FAIL("%s was opened: %s\n", paths[i], strerror(errno));
    }
    if (mkdir("/tmp/relay_test", 0700) == 0 || errno != EACCES) FAIL("a directory was made: %s\n", strerror(errno));
    /* What it has open it keeps. */
    if (pread(file, &byte, 1, 0) != 1 || pwrite(file, &byte, 1, 0) != 1) FAIL("its own file is lost: %s\n", strerror(errno));
    if (version >= SCOPES) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&name, name_length) == 0 || errno != EPERM) FAIL("an abstract socket was reached\n");
        if (kill(parent, 0) == 0 || errno != EPERM) FAIL("a signal was sent\n");
    }
    _exit(HELD);
}

int main(void) {
    version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) {
        puts("skipped: the relay behind Landlock, for this kernel has none");
        return 0;
    }
    parent = getpid();
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    name_length = (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1 +
                  (socklen_t)snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "relay-test-%d", (int)parent);
    char path[] = "/tmp/relay-test.XXXXXX";
    file = mkstemp(path);
    int pair[2], ready[2];
    if (bind(server, (struct sockaddr *)&name, name_length) != 0 || listen(server, 1) != 0 || file < 0 || unlink(path) != 0 ||
        write(file, "x", 1) != 1 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pipe(ready) != 0) {
        perror("relay_test.c");
        return 1;
    }
    pid_t child = fork();
    if (child == 0) relay(pair[0], pair[1], ready[1], file, (const uint8_t *)"\2\0\0\0\0\1");
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != HELD) return 1;
    puts("ok");
    return 0;
}
