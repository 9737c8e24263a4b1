#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker.h"
#include "calls.h"
#include "group.h"
#include "ids.h"
#include "landlock.h"
#include "room.h"

static const char *const NAMES[] = {"none", "reduced", "sealed", "full"};

const char *level_name(enum level level) { return NAMES[level]; }

enum level level_of(const char *name) {
    if (strcmp(name, "auto") == 0) return LEVEL_REDUCED;
    for (enum level level = LEVEL_REDUCED; level <= LEVEL_FULL; level++) {
        if (strcmp(name, NAMES[level]) == 0) return level;
    }
    return LEVEL_NONE;
}

pid_t jail_fork(enum level level, uid_t own) { return level == LEVEL_FULL ? room_fork(own) : group_fork(0); }

static void failed(struct jail_report *report, bool wall, const char *what) {
    *report = (struct jail_report){.wall = wall, .error = errno};
    snprintf(report->what, sizeof report->what, "%s", what);
}

static bool send_descriptor(int talk, int fd) {
    char nothing = 0;
    struct iovec one = {&nothing, 1};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    return sendmsg(talk, &message, MSG_NOSIGNAL) == 1;
}

/* What does not hold is no wall: each is tried once, by the process itself, before it becomes another program. */
static bool holds(bool in_room) {
    struct stat status;
    if (in_room && (stat("/etc", &status) == 0 || stat("/proc", &status) == 0)) return false;
    int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 || errno != ENOENT) return false; /* the guard could not even read the name, for one */
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false; /* nor give it a file */
    close(fd);
    return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM && fork() < 0;
}

static bool seal(int talk, bool in_room) {
    int listener = calls_confine(in_room);
    if (listener < 0 || !send_descriptor(talk, listener)) return false;
    close(listener);
    char go;
    /* Nothing comes of a guard that was killed. */
    if (read(talk, &go, 1) != 1) return false;
    errno = 0;
    return holds(in_room);
}

/* Becomes the user, and dies with the guard still. */
static bool take_id(uid_t own) { return own == 0 || (ids_become(own) && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0); }

/* It may lie in a directory that only root enters. */
static void execute(const char *path, int opened, char **program) {
    if (opened >= 0 && access(path, X_OK) != 0) execveat(opened, "", program, environ, AT_EMPTY_PATH);
    else execvp(path, program);
}

void jail_execute(const struct jail *jail, enum level level, uid_t own, const char *place, char **program, int talk,
                  struct jail_report *report) {
    const char *path = program[0];
    if (level == LEVEL_FULL) {
        if (strchr(path, '/') != NULL) path = room_enter(place, path);
        else path = NULL;
        if (path == NULL) {
            failed(report, true, "the room");
            return;
        }
    }
    struct limits limits = jail->limits;
    /* Otherwise all processes of the user are counted. */
    if (level != LEVEL_FULL && own == 0) limits.threads = 0;
    if (!limits_set(&limits)) {
        failed(report, true, "the limits");
        return;
    }
    int opened = own == 0 ? -1 : open(path, O_PATH | O_CLOEXEC);
    landlock_confine(&jail->grants, path);
    if (!take_id(own)) {
        failed(report, true, "an id of its own");
        return;
    }
    if (!rights_give_up()) {
        failed(report, true, "giving up rights");
        return;
    }
    if (level >= LEVEL_SEALED && !seal(talk, level == LEVEL_FULL)) {
        failed(report, true, "the seal");
        return;
    }
    execute(path, opened, program);
    failed(report, false, "");
}

/* Answers the length of what came: 0 at the end, -1 with errno; a descriptor that came with it, or -1. */
static ssize_t hear(int talk, struct jail_report *report, int *fd) {
    struct iovec all = {report, sizeof *report};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &all, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *fd = -1;
    ssize_t n;
    do n = recvmsg(talk, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(head), sizeof *fd);
    return n;
}

bool jail_accompany(const struct jail *jail, int directory, int talk, struct jail_report *report) {
    for (;;) {
        int listener;
        ssize_t n = hear(talk, report, &listener);
        if (n == 0) return true;
        if (listener >= 0) {
            struct broker_start start = {.listener = listener,
                                         .directory = directory,
                                         .grants = &jail->grants,
                                         .recording = jail->recording,
                                         .alarm_ends = jail->alarm_ends};
            if (broker_begin(&start) && send(talk, "", 1, MSG_NOSIGNAL) == 1) continue;
            failed(report, true, "the guard's part of the seal");
            return false;
        }
        if (n == sizeof *report) {
            report->what[sizeof report->what - 1] = '\0';
            return false;
        }
        failed(report, false, "");
        return false;
    }
}
