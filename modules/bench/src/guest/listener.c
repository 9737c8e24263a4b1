/* A server of one process, for connections one after the other: listener PORT. It writes one byte when it listens. The
 * first byte of each says what becomes of it:
 *
 * e  a zero comes back
 * o  128 MiB come, in pieces of 64 KiB
 * i  all is read
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, PIECES = 128 * 16 };

static char bytes[PIECE];

static int say(int fd, size_t length) {
    while (length > 0) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
        if (n <= 0) return 0;
        length -= (size_t)n;
    }
    return 1;
}

static void serve(int fd) {
    char what = 0;
    if (read(fd, &what, 1) != 1) return;
    if (what == 'e') say(fd, 1);
    for (int i = 0; what == 'o' && i < PIECES && say(fd, PIECE); i++) continue;
    while (what == 'i' && read(fd, bytes, sizeof bytes) > 0) continue;
}

int main(int argc, char **argv) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    int server = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_port = htons((unsigned short)(argc == 2 ? atoi(argv[1]) : 0));
    if (bind(server, (struct sockaddr *)&at, sizeof at) != 0 || listen(server, 64) != 0) return 1;
    if (write(1, "l", 1) != 1) return 1;
    for (int fd; (fd = accept(server, NULL, NULL)) >= 0;) {
        serve(fd);
        close(fd);
    }
    return 1;
}
