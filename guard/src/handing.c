#include "handing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool hand_over(int socket, const void *message, size_t length, int fd) {
    union control control = {.bytes = {0}};
    struct iovec part = {(void *)(size_t)message, length};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        struct cmsghdr *first = CMSG_FIRSTHDR(&header);
        *first = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(first), &fd, sizeof fd);
    }
    ssize_t n;
    do n = sendmsg(socket, &header, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)length;
}

bool take_over(int socket, void *message, size_t length, int *fd) {
    union control control;
    struct iovec part = {message, length};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *fd = -1;
    if (n < 0) return false;
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    bool handed = first != NULL && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS;
    if (handed) memcpy(fd, CMSG_DATA(first), sizeof *fd);
    return n == (ssize_t)length;
}
