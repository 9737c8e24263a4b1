#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "denied.h"
#include "io.h"
#include "names.h"

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

struct broker {
    struct broker_start start;
    struct denied denied;
    bool executed; /* the program has begun; the one call of it is ours */
    enum denial denial; /* of the call that is being answered */
    char name[NAME_MAX_BYTES]; /* that it has, or an empty one */
    int memory; /* the program's; -1: not opened yet */
};

static atomic_bool sealed;

/* Threads that answer, and what they are to do once. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int living;
    int inside; /* of these */
    int event; /* readable once there is a wall */
    const struct wall *wall;
    pid_t program;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .event = -1};

/* Readable once too much was refused; -1: nothing is. */
static int alarm_fd = -1;

/* What is to be said to the caller: an error, or a value. */
struct answer {
    int error;   /* 0: none */
    int64_t value;
    bool go_on;  /* the kernel executes the call */
    bool said;   /* the kernel was told by something else */
};

static struct answer fails(int error) { return (struct answer){.error = error}; }

static struct answer refuses(struct broker *b) {
    b->denial = CALL_REFUSED;
    return fails(EPERM);
}

static struct answer refuses_file(struct broker *b) {
    b->denial = OPEN_REFUSED;
    return fails(EPERM);
}

static const struct answer GO_ON = {.go_on = true};

/* Whether the caller still waits: then what was read of its memory was the caller's. */
static bool waits(const struct broker *b, const struct seccomp_notif *asked) {
    return ioctl(b->start.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->id) == 0;
}

/* The caller's memory; -1 with errno. It is looked at by a descriptor, for a call that takes any process by its id is none that the
 * guard may make for ever. The threads of the program share it, and it executes nothing any more. */
static int memory_of(struct broker *b, pid_t pid) {
    if (b->memory >= 0) return b->memory;
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (b->executed) b->memory = fd;
    return fd;
}

/* Before there is a program, it is that of the child. */
static void forget_memory(const struct broker *b, int memory) {
    if (memory >= 0 && memory != b->memory) close(memory);
}

static bool read_memory(struct broker *b, const struct seccomp_notif *asked, uint64_t address, void *to, size_t length) {
    int memory = memory_of(b, (pid_t)asked->pid);
    bool whole = memory >= 0 && pread(memory, to, length, (off_t)address) == (ssize_t)length;
    forget_memory(b, memory);
    return whole;
}

/* A name in the caller's memory. False if there is none of this length. */
static bool read_name(struct broker *b, const struct seccomp_notif *asked, uint64_t address) {
    char *name = b->name;
    enum { PAGE = 4096 };
    size_t length = 0;
    while (length < NAME_MAX_BYTES) {
        /* Not beyond a page, for the next one need not be there. */
        size_t piece = PAGE - (address + length) % PAGE;
        if (piece > NAME_MAX_BYTES - length) piece = NAME_MAX_BYTES - length;
        if (!read_memory(b, asked, address + length, name + length, piece)) return false;
        if (memchr(name + length, '\0', piece) != NULL) return waits(b, asked);
        length += piece;
    }
    return false;
}

static int open_given(const struct decision *decision) {
    /* A FIFO in its place must not halt the broker. */
    int flags = decision->flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (decision->layer ? O_NOFOLLOW : 0);
    int fd = open(decision->path, flags);
    struct stat status;
    if (fd < 0) return -1;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    bool writable = (decision->flags & O_ACCMODE) == O_RDONLY || !decision->layer || (status.st_mode & S_IWUSR) != 0;
    if ((regular && writable) || (decision->device && S_ISCHR(status.st_mode))) {
        fcntl(fd, F_SETFL, 0);
        return fd;
    }
    close(fd);
    errno = EACCES;
    return -1;
}

/* Gives the caller a copy of a descriptor, as what its call answers. Closes ours. */
static struct answer hand_over(const struct broker *b, const struct seccomp_notif *asked, int fd, bool close_on_exec) {
    struct seccomp_notif_addfd add = {.id = asked->id,
                                      .flags = SECCOMP_ADDFD_FLAG_SEND,
                                      .srcfd = (unsigned)fd,
                                      .newfd_flags = close_on_exec ? O_CLOEXEC : 0};
    int error = ioctl(b->start.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 ? errno : 0;
    close(fd);
    return error == 0 ? (struct answer){.said = true} : fails(error);
}

static struct answer to_open(struct broker *b, const struct seccomp_notif *asked, uint64_t address, int flags) {
    char normal[NAME_MAX_BYTES];
    bool now_sealed = atomic_load(&sealed);
    if (!read_name(b, asked, address)) return fails(EFAULT);
    if (!grants_normal(b->name, normal, sizeof normal)) return now_sealed ? refuses_file(b) : fails(ENOENT);
    struct decision decision = grants_open(b->start.grants, normal, flags, now_sealed);
    if (decision.verdict == REFUSED) return refuses_file(b);
    if (decision.verdict == ABSENT) return fails(ENOENT);
    int fd = open_given(&decision);
    return fd < 0 ? fails(errno) : hand_over(b, asked, fd, (flags & O_CLOEXEC) != 0);
}

/* It asks so whether firmware is there. */
static struct answer to_look(struct broker *b, const struct seccomp_notif *asked, uint64_t address) {
    char normal[NAME_MAX_BYTES];
    if (!read_name(b, asked, address)) return fails(EFAULT);
    if (!grants_normal(b->name, normal, sizeof normal)) return fails(ENOENT);
    struct decision decision = grants_open(b->start.grants, normal, O_RDONLY, atomic_load(&sealed));
    if (decision.verdict != GIVEN) return fails(ENOENT);
    return faccessat(AT_FDCWD, decision.path, R_OK, 0) == 0 ? (struct answer){0} : fails(errno);
}

/* Facts about descriptors, which C libraries ask for by an empty name; of names it learns nothing. */
static struct answer to_stat(struct broker *b, const struct seccomp_notif *asked, uint64_t address, uint64_t flags) {
    if (!read_name(b, asked, address)) return fails(EFAULT);
    return b->name[0] == '\0' && (flags & AT_EMPTY_PATH) != 0 ? GO_ON : fails(ENOENT);
}

/* Where the program is, by which it finds its firmware; and whether the names of layers have links in them, by which it finds
 * one below another. They have none. */
static struct answer to_read_link(struct broker *b, const struct seccomp_notif *asked) {
    char normal[NAME_MAX_BYTES];
    if (!read_name(b, asked, asked->data.args[0])) return fails(EFAULT);
    const char *program = b->start.grants->program;
    if (program == NULL || strcmp(b->name, "/proc/self/exe") != 0) {
        bool leads = grants_normal(b->name, normal, sizeof normal) && grants_lead_through(b->start.grants, normal);
        return fails(leads ? EINVAL : ENOENT);
    }
    size_t length = strlen(program);
    if (length > asked->data.args[2]) length = asked->data.args[2];
    int memory = memory_of(b, (pid_t)asked->pid);
    bool written = memory >= 0 && pwrite(memory, program, length, (off_t)asked->data.args[1]) == (ssize_t)length;
    forget_memory(b, memory);
    return written ? (struct answer){.value = (int64_t)length} : fails(EFAULT);
}

/* The file of a socket of its own; QEMU does so before it makes one. */
static struct answer to_remove(struct broker *b, const struct seccomp_notif *asked, uint64_t address) {
    struct stat status;
    if (!read_name(b, asked, address)) return fails(EFAULT);
    /* Those that the guard made, which it removes at its end. */
    if (grants_own_socket(b->start.grants, b->name)) return fails(ENOENT);
    if (!grants_socket(b->start.grants, b->name)) return refuses(b);
    if (lstat(b->name, &status) != 0) return fails(errno);
    if (!S_ISSOCK(status.st_mode)) return refuses(b);
    return unlink(b->name) == 0 ? (struct answer){0} : fails(errno);
}

/* Puts a socket that is bound or connected already in the place of its own, which is as new. */
static struct answer to_name_socket(struct broker *b, const struct seccomp_notif *asked, bool connects) {
    struct socket_name name = {0};
    size_t length = asked->data.args[2];
    if (length > sizeof name.address) return fails(EINVAL);
    if (!read_memory(b, asked, asked->data.args[1], &name.address, length) || !waits(b, asked)) return fails(EFAULT);
    bool understood = socket_name_read(&name, length);
    snprintf(b->name, sizeof b->name, "%s", name.path);
    if (!understood || !grants_socket(b->start.grants, name.path)) return refuses(b);
    int fd = socket_named(&name, connects);
    if (fd < 0) return fails(errno);
    struct seccomp_notif_addfd add = {.id = asked->id,
                                      .flags = SECCOMP_ADDFD_FLAG_SETFD,
                                      .srcfd = (unsigned)fd,
                                      .newfd = (unsigned)asked->data.args[0],
                                      .newfd_flags = O_CLOEXEC};
    int error = ioctl(b->start.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 ? errno : 0;
    close(fd);
    return error == 0 ? (struct answer){0} : fails(error);
}

/* The guard's own call, before there is a program. */
static struct answer to_execute(struct broker *b) {
    if (b->executed) return refuses(b);
    b->executed = true;
    return GO_ON;
}

/* The kernel then sends a signal to any process of the user; or types into a terminal. */
static bool sets_owner(unsigned request) {
    return request == FIOSETOWN || request == SIOCSPGRP || request == TIOCSTI || request == TIOCLINUX || request == TIOCSPGRP;
}

static struct answer records(struct broker *b) {
    b->denial = LET_THROUGH;
    return GO_ON;
}

static struct answer decide(struct broker *b, const struct seccomp_notif *asked) {
    const uint64_t *args = (const uint64_t *)asked->data.args;
    switch (asked->data.nr) {
        case SYS_open: return to_open(b, asked, args[0], (int)args[1]);
        case SYS_openat: return to_open(b, asked, args[1], (int)args[2]);
        case SYS_access: return to_look(b, asked, args[0]);
        case SYS_faccessat:
        case SYS_faccessat2: return to_look(b, asked, args[1]);
        case SYS_newfstatat: return to_stat(b, asked, args[1], args[3]);
        case SYS_statx: return to_stat(b, asked, args[1], args[2]);
        case SYS_stat:
        case SYS_lstat:
        case SYS_statfs:
        case SYS_readlinkat: return fails(ENOENT);
        case SYS_readlink: return to_read_link(b, asked);
        case SYS_unlink: return to_remove(b, asked, args[0]);
        case SYS_unlinkat: return to_remove(b, asked, args[1]);
        case SYS_bind: return to_name_socket(b, asked, false);
        case SYS_connect: return to_name_socket(b, asked, true);
        case SYS_execve:
        case SYS_execveat: return to_execute(b);
        case SYS_sched_setattr: return fails(EPERM); /* GLib tries */
        case SYS_ioctl:
            /* The number is in a register, so it is what was looked at. */
            if (calls_create((unsigned)args[1]) && !atomic_load(&sealed)) return GO_ON;
            return b->start.recording && !sets_owner((unsigned)args[1]) ? records(b) : refuses(b);
        default: return b->start.recording && !calls_reach(asked->data.nr) ? records(b) : refuses(b);
    }
}

static void reply(const struct broker *b, const struct seccomp_notif *asked, struct answer answer) {
    if (answer.said) return;
    struct seccomp_notif_resp response = {.id = asked->id,
                                          .error = -answer.error,
                                          .val = answer.value,
                                          .flags = answer.go_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0};
    ioctl(b->start.listener, SECCOMP_IOCTL_NOTIF_SEND, &response); /* it may have ended meanwhile */
}

static void note(struct broker *b, const struct seccomp_notif *asked) {
    if (b->denial == NOTHING_DENIED || !b->executed) return;
    /* Of these calls the request says more than the descriptor. */
    bool requests = asked->data.nr == SYS_ioctl || asked->data.nr == SYS_fcntl;
    denied_note(&b->denied, b->denial, asked->data.nr, asked->data.args[requests ? 1 : 0], b->name);
    static const uint64_t one = 1;
    if (denied_enough(&b->denied, b->start.recording, b->start.alarm_ends)) write_all(alarm_fd, (const char *)&one, sizeof one);
}

/* A child that has become no program by now never will, and its thread ends with it. */
static void enter(struct broker *b) {
    pthread_mutex_lock(&threads.lock);
    if (b->executed) (void)memory_of(b, threads.program);
    wall_enter(threads.wall);
    threads.inside++;
    pthread_cond_signal(&threads.changed);
    pthread_mutex_unlock(&threads.lock);
}

static void leave(bool was_inside) {
    pthread_mutex_lock(&threads.lock);
    threads.living--;
    if (was_inside) threads.inside--;
    pthread_cond_signal(&threads.changed);
    pthread_mutex_unlock(&threads.lock);
}

static void *serve(void *argument) {
    struct broker *b = argument;
    struct pollfd events[] = {{.fd = b->start.listener, .events = POLLIN}, {.fd = threads.event, .events = POLLIN}};
    for (;;) {
        if (poll(events, 2, -1) < 0) continue;
        if (events[1].fd >= 0 && events[1].revents != 0) {
            enter(b);
            events[1].fd = -1;
        }
        if (events[0].revents == 0) continue;
        if ((events[0].revents & POLLIN) == 0) break; /* all that the filter binds have ended */
        struct seccomp_notif asked = {0};
        if (ioctl(b->start.listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue; /* it was killed meanwhile */
        b->denial = NOTHING_DENIED;
        b->name[0] = '\0';
        struct answer answer = decide(b, &asked);
        note(b, &asked);
        reply(b, &asked, answer);
    }
    close(b->start.listener);
    if (b->memory >= 0) close(b->memory);
    free(b);
    leave(events[1].fd < 0);
    return NULL;
}

bool broker_begin(const struct broker_start *start) {
    if (alarm_fd < 0) alarm_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (threads.event < 0) threads.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct broker *broker = alarm_fd < 0 || threads.event < 0 ? NULL : calloc(1, sizeof *broker);
    if (broker == NULL) return false;
    broker->start = *start;
    broker->memory = -1;
    broker->denied.directory = start->directory;
    pthread_t thread;
    pthread_mutex_lock(&threads.lock);
    int error = pthread_create(&thread, NULL, serve, broker);
    if (error == 0) threads.living++;
    pthread_mutex_unlock(&threads.lock);
    if (error != 0) {
        free(broker);
        errno = error;
        return false;
    }
    pthread_detach(thread);
    return true;
}

void broker_enter(const struct wall *wall, pid_t program) {
    static const uint64_t one = 1;
    pthread_mutex_lock(&threads.lock);
    threads.wall = wall;
    threads.program = program;
    if (threads.event >= 0) write_all(threads.event, (const char *)&one, sizeof one);
    while (threads.inside < threads.living) pthread_cond_wait(&threads.changed, &threads.lock);
    pthread_mutex_unlock(&threads.lock);
}

void broker_seal(void) { atomic_store(&sealed, true); }

int broker_alarm(void) { return alarm_fd; }
