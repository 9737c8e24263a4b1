/* A server of a guest that is dialed, for GuestStreamIT: dialserver PORT|[::1]|PATH. Says "ready" once it listens. The first
 * byte of a connection says what becomes of it:
 *
 * e  every byte comes back, until the host's end
 * p  says who the peer is, and closes
 * f  writes for ever
 * m  never reads again, nor writes
 * r  resets it
 * s  reads to the host's end, then says the SHA-256
 * g  writes 100 MiB, byte i is i * 2654435761 >> 24, closes its side and reads to the host's end
 * b  says "bye", closes its side, then says on its standard error how much it read until the host's end
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static uint8_t bytes[65536];

static void write_all(int fd, const void *from, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, (const char *)from + done, length - done);
        if (n <= 0) _exit(1);
        done += (size_t)n;
    }
}

static void echo(int fd) {
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) write_all(fd, bytes, (size_t)n);
}

static void tell_peer(int fd) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } peer;
    struct ucred user;
    char name[100] = "";
    socklen_t length = sizeof peer;
    getpeername(fd, &peer.any, &length);
    if (peer.any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &peer.four.sin_addr, name, sizeof name);
    } else if (peer.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &peer.six.sin6_addr, name, sizeof name);
    } else {
        length = sizeof user;
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &length);
        snprintf(name, sizeof name, "user %u", user.uid);
    }
    write_all(fd, name, strlen(name));
}

static void generate(int fd) {
    for (uint64_t at = 0; at < 100 << 20; at += sizeof bytes) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)((uint32_t)(at + i) * 2654435761U >> 24);
        write_all(fd, bytes, sizeof bytes);
    }
    shutdown(fd, SHUT_WR);
    while (read(fd, bytes, sizeof bytes) > 0) continue;
}

static void say_bye(int fd) {
    size_t count = 0;
    write_all(fd, "bye", 3);
    shutdown(fd, SHUT_WR);
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) count += (size_t)n;
    dprintf(2, "%zu\n", count);
}

static void serve(int fd) {
    char what = 0;
    struct linger at_once = {.l_onoff = 1};
    if (read(fd, &what, 1) != 1) return;
    switch (what) {
        case 'e': echo(fd); break;
        case 'p': tell_peer(fd); break;
        case 'f': for (;;) write_all(fd, bytes, sizeof bytes);
        case 'm': for (;;) pause();
        case 'r': setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once); break;
        case 's':
            dup2(fd, 0);
            dup2(fd, 1);
            execl("/bin/busybox", "busybox", "sha256sum", NULL);
            break;
        case 'g': generate(fd); break;
        case 'b': say_bye(fd); break;
    }
}

static int listening(const char *where) {
    int fd, one = 1, bound;
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(where)),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(6000), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    snprintf(path.sun_path, sizeof path.sun_path, "%s", where);
    int family = where[0] == '/' ? AF_UNIX : where[0] == '[' ? AF_INET6 : AF_INET;
    fd = socket(family, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bound = family == AF_UNIX   ? bind(fd, (struct sockaddr *)&path, sizeof path)
            : family == AF_INET ? bind(fd, (struct sockaddr *)&four, sizeof four)
                                : bind(fd, (struct sockaddr *)&six, sizeof six);
    return bound == 0 && listen(fd, 512) == 0 ? fd : -1;
}

int main(int argc, char **argv) {
    int server = argc == 2 ? listening(argv[1]) : -1;
    if (server < 0) return 1;
    signal(SIGCHLD, SIG_IGN);
    write_all(1, "ready\n", 6);
    for (int fd; (fd = accept(server, NULL, NULL)) >= 0;) {
        if (fork() == 0) {
            close(server);
            serve(fd);
            _exit(0);
        }
        close(fd);
    }
    return 1;
}
