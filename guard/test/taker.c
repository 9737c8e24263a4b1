/* What takes of its host, in the place of the guard's program: taker WHAT [ARGUMENT]. For group.sh. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

static void say(const char *format, long value) {
    printf(format, value);
    fflush(stdout);
}

/* Touches so many MiB. */
static int eat(long mebibytes) {
    size_t size = (size_t)mebibytes << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    for (size_t at = 0; at < size; at += 4096) memory[at] = 1;
    say("eaten %ld\n", mebibytes);
    return 0;
}

/* Writes so many MiB to a file, which stay in the kernel's memory for a while. */
static int fill(const char *file, long mebibytes) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (long i = 0; i < mebibytes; i++) {
        if (write(fd, block, sizeof block) != sizeof block) return 1;
    }
    say("filled %ld\n", mebibytes);
    return 0;
}

/* As many processes as it gets, at most 1,000. */
static int crowd(void) {
    long count = 0;
    pid_t child = 0;
    while (count < 1000 && (child = fork()) > 0) count++;
    if (count < 1000 && child == 0) {
        pause();
        _exit(0);
    }
    say(errno == EAGAIN ? "crowd %ld\n" : "crowd %ld without end\n", count);
    return 0; /* they are ended with its group */
}

/* A process that neither its parent's end nor a signal to its group ends. */
static void leave(void) {
    int said[2];
    char byte = 0;
    if (pipe(said) != 0) exit(1);
    if (fork() != 0) {
        if (read(said[0], &byte, 1) != 1) exit(1);
        return;
    }
    setsid();
    if (fork() != 0) _exit(0);
    signal(SIGTERM, SIG_IGN);
    say("left %ld\n", (long)getpid());
    if (write(said[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
}

/* Tries what would take it out of its limits: the files of its group, by the name that the guard has written beside it. */
static int escape(const char *group) {
    static const char *const files[] = {"memory.max", "pids.max", "cgroup.procs", "cgroup.kill", "cpu.weight", "cgroup.subtree_control",
                                        "../cgroup.procs", "../cgroup.kill", "."};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", group, files[i]);
        if (open(path, O_WRONLY) >= 0) printf("OPEN: %s\n", path);
    }
    say("tried\n%.0ld", 0);
    return 0;
}

static int become(const char *user, char **command) {
    unsigned id = (unsigned)atoi(user);
    if (setgroups(0, NULL) != 0 || setgid(id) != 0 || setuid(id) != 0) return 1;
    execv(command[0], command);
    return 1;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "eat") == 0) return eat(atol(argv[2]));
    if (strcmp(what, "fill") == 0) return fill(argv[2], atol(argv[3]));
    if (strcmp(what, "crowd") == 0) return crowd();
    if (strcmp(what, "escape") == 0) return escape(argv[2]);
    if (strcmp(what, "as") == 0) return become(argv[2], argv + 3);
    if (strcmp(what, "delegate") == 0) return setxattr(argv[2], "user.delegate", "1", 1, 0);
    if (strcmp(what, "leave") == 0) {
        leave();
        return 0;
    }
    if (strcmp(what, "stay") == 0) leave();
    else if (strcmp(what, "wait") != 0) return 2;
    say("waiting\n%.0ld", 0);
    for (;;) pause();
}
