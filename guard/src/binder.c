#include "binder.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netinet/in.h>

#include "confine.h"
#include "handing.h"

enum { BACKLOG = 256 };

static int listen_at(const struct binder_request *request, uint16_t *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = request->port, .sin_addr.s_addr = request->address};
    socklen_t length = sizeof address;
    int yes = 1;
    /* A port whose last connections have just ended may be had again; not one on which another listens. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    *port = address.sin_port;
    return fd;
}

void binder(int requests) {
    if (!confine_to_binding()) _exit(1);
    for (;;) {
        struct binder_request request;
        ssize_t n = recv(requests, &request, sizeof request, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n != sizeof request) _exit(1);
        struct binder_answer answer = {.number = request.number};
        int fd = listen_at(&request, &answer.port);
        if (fd < 0) answer.error = errno;
        if (!hand_over(requests, &answer, sizeof answer, fd)) _exit(1);
        if (fd >= 0) close(fd);
    }
}
