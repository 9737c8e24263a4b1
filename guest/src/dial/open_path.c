#include "dial/open_path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "process/child.h"
#include "process/identity.h"
#include "process/init.h"
#include "sys/clock.h"
#include "sys/nodes.h"

enum { PAUSE_MS = 20 };

static int connect_once(const struct sockaddr_un *to) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (connect(fd, (const struct sockaddr *)to, sizeof *to) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int connect_patiently(const struct sockaddr_un *to, uint32_t patience) {
    int64_t until = now_ms() + patience;
    for (;;) {
        int fd = connect_once(to);
        bool comes = errno == ENOENT || errno == ECONNREFUSED;
        if (fd >= 0 || !comes || now_ms() >= until) return fd;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    }
}

static void hand_over(int fd) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof fd)];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    struct spawn_failure none = {0};
    struct iovec bytes = {.iov_base = &none, .iov_len = sizeof none};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    sendmsg(SPAWN_REPORT, &message, MSG_NOSIGNAL);
}

__attribute__((noreturn)) static void become(const char *path, const char *user, uint32_t patience, int channel) {
    static struct identity identity;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    child_leave_agent((const int[]){node_null(), node_null(), node_null(), channel});
    struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
    identity_find(user, &identity);
    identity_take(&identity);
    strcpy(to.sun_path, path);
    int fd = connect_patiently(&to, patience);
    if (fd < 0) spawn_give_up(CONNECTION_REFUSED, "The path %s cannot be connected to: %s.", path, strerror(errno));
    hand_over(fd);
    _exit(0);
}

bool open_path_begin(const char *path, const char *user, uint32_t patience, struct path_opening *opening) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
    pid_t pid = -1;
    if (init_enter()) {
        pid = fork();
        if (pid == 0) become(path, user, patience, ends[1]);
        init_leave();
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    *opening = (struct path_opening){.pid = pid, .channel = ends[0]};
    return true;
}

/* What another process of its user has made of the child: it may send any descriptor, or none. */
static bool is_stream(int fd) {
    struct stat status;
    int type = 0;
    socklen_t size = sizeof type;
    return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

bool open_path_ended(int channel, int *fd, struct spawn_failure *failure) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof *fd)];
    } control;
    struct iovec bytes = {.iov_base = failure, .iov_len = sizeof *failure};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    *fd = -1;
    struct cmsghdr *sent = n == sizeof *failure ? CMSG_FIRSTHDR(&message) : NULL;
    if (sent != NULL && sent->cmsg_level == SOL_SOCKET && sent->cmsg_type == SCM_RIGHTS &&
        sent->cmsg_len == CMSG_LEN(sizeof *fd)) {
        memcpy(fd, CMSG_DATA(sent), sizeof *fd);
    }
    if (*fd >= 0 && is_stream(*fd)) return true;
    if (*fd >= 0) close(*fd);
    *fd = -1;
    if (n != sizeof *failure || failure->code == 0) {
        *failure = (struct spawn_failure){.code = INTERNAL, .sentence = "What was to connect to the path has ended."};
    }
    spawn_failure_complete(failure);
    return true;
}
