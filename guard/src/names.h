/* Sockets that have a name, made in place of QEMU's own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

struct socket_name {
    struct sockaddr_un address;
    char path[sizeof((struct sockaddr_un *)0)->sun_path + 1];
};

/* Understands an address of so many bytes; false if it is not the name of a file. */
bool socket_name_read(struct socket_name *name, size_t length);

/* One that listens there once it is told to, or that is connected to it; -1 with errno. */
int socket_named(const struct socket_name *name, bool connects);
