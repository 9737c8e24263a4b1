#include "process/readiness.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/loop.h"
#include "sys/log.h"
#include "wire/frame.h"
#include "wire/port.h"

/* A name without a file, which no mount of the init can hide. In the environment it is written @cloche-init. */
static const char NAME[] = "\0cloche-init";

enum { WORD_MAX = 4096, WORDS_A_ROUND = 16 };

static int listener = -1;
static pid_t speaker; /* 0: there is no init */
static bool ready, more;

static struct {
    uint32_t request; /* 0: no host waits there */
    uint32_t connection;
} waiting[PORTS];

void readiness_open(void) {
    ready = false;
    if (listener >= 0) return;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, NAME, sizeof NAME - 1);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + sizeof NAME - 1;
    int on = 1;
    listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
        bind(listener, (struct sockaddr *)&address, length) != 0) {
        log_line("no socket for the init's word: %s", strerror(errno));
        return;
    }
    loop_watch(listener, EPOLLIN, READINESS, 0);
}

void readiness_of(pid_t init) { speaker = init; }

void readiness_ended(void) { speaker = 0; }

int readiness_await(int port, uint32_t request, const char **sentence) {
    *sentence = "The guest has no init, or it has ended.";
    if (speaker == 0) return BAD_REQUEST;
    *sentence = "This connection waits for the init already.";
    if (waiting[port].request != 0 && waiting[port].connection == port_connection(port)) return BAD_REQUEST;
    waiting[port].request = request;
    waiting[port].connection = port_connection(port);
    return 0;
}

void readiness_event(void) { more = true; }

/* Whether one of the lines of a word is READY=1. */
static bool says_ready(const char *word, size_t length) {
    static const char READY[] = "READY=1";
    for (const char *line = word, *end = word + length; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t part = (size_t)((stop == NULL ? end : stop) - line);
        if (part == sizeof READY - 1 && memcmp(line, READY, part) == 0) return true;
        line += part + 1;
    }
    return false;
}

/* Every process of the guest may send to the socket; the kernel says who it was. */
static bool read_word(void) {
    char word[WORD_MAX];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec slice = {.iov_base = word, .iov_len = sizeof word};
    struct msghdr message = {
        .msg_iov = &slice, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(listener, &message, MSG_CMSG_CLOEXEC);
    if (n < 0) return errno == EINTR;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS) return true;
    struct ucred who;
    memcpy(&who, CMSG_DATA(header), sizeof who);
    if (speaker != 0 && who.pid == speaker && says_ready(word, (size_t)n)) ready = true;
    return true;
}

bool readiness_pump(void) {
    for (int i = 0; i < WORDS_A_ROUND && more; i++) more = read_word();
    if (speaker != 0 && !ready) return more;
    for (int port = 0; port < PORTS; port++) {
        uint32_t request = waiting[port].request;
        if (request == 0) continue;
        if (waiting[port].connection != port_connection(port)) {
            waiting[port].request = 0;
        } else if (port_has_room(port)) {
            waiting[port].request = 0;
            if (speaker == 0) {
                port_failed(port, request, INTERNAL, "The init has ended.");
            } else {
                port_done(port, request);
            }
        }
    }
    return more;
}
