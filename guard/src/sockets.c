#include "sockets.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fail.h"

static int listen_on(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode)) unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    /* QEMU serves one client; one more may wait, so that a successor can connect while the old one goes. */
    if (listen(fd, 1) != 0) {
        unlink(path);
        close(fd);
        return -1;
    }
    return fd;
}

void listen_all(const struct options *options, int *descriptors) {
    /* What a run that was killed has left would lead nowhere. */
    if (options->ports != NULL) unlink(options->ports);
    for (int i = 0; i < options->listen_count; i++) {
        descriptors[i] = listen_on(options->listen[i]);
        if (descriptors[i] < 0) {
            int error = errno;
            for (int done = 0; done < i; done++) unlink(options->listen[done]);
            fail("cannot listen on %s: %s", options->listen[i], strerror(error));
        }
    }
}

void remove_sockets(const struct options *options) {
    for (int i = 0; i < options->listen_count; i++) unlink(options->listen[i]);
    if (options->ports != NULL) unlink(options->ports);
}
