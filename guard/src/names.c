#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool socket_name_read(struct socket_name *name, size_t length) {
    size_t head = offsetof(struct sockaddr_un, sun_path);
    if (length <= head || name->address.sun_family != AF_UNIX) return false;
    memset(name->path, 0, sizeof name->path);
    memcpy(name->path, name->address.sun_path, length - head);
    return name->path[0] == '/';
}

int socket_named(const struct socket_name *name, bool connects) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(name->path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, name->path);
    /* A listener that takes none must not halt the broker. */
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (connects ? SOCK_NONBLOCK : 0), 0);
    if (fd < 0) return -1;
    int done = connects ? connect(fd, (struct sockaddr *)&address, sizeof address)
                        : bind(fd, (struct sockaddr *)&address, sizeof address);
    if (done == 0 && (!connects || fcntl(fd, F_SETFL, 0) == 0)) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}
