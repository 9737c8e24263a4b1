/* What stands for a VM on a host that is a guest, or asks one: neighbour WHAT.
 *
 * hog THREADS         keeps so many threads busy for ever
 * pong                answers each byte on the socket that the guard has left it, of one connection after the other
 * ping SOCKET COUNT   sends so many bytes, one each 2 ms, and says how many nanoseconds each answer took
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_SOCKET = 4, PAUSE_NANOS = 2000000 };

static void *spin(void *nothing) {
    for (volatile unsigned long count = 0;; count++) continue;
    return nothing;
}

static int hog(int threads) {
    pthread_t thread;
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&thread, NULL, spin, NULL) != 0) return 1;
    }
    spin(NULL);
    return 1;
}

static int pong(void) {
    for (int fd; (fd = accept(FIRST_SOCKET, NULL, NULL)) >= 0; close(fd)) {
        for (char byte; read(fd, &byte, 1) == 1 && write(fd, &byte, 1) == 1;) continue;
    }
    return 1;
}

static long long now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static int ping(const char *path, int count) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct timespec pause = {.tv_nsec = PAUSE_NANOS};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (strlen(path) >= sizeof at.sun_path) return 2;
    strcpy(at.sun_path, path);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0) return 1;
    for (int i = 0; i < count; i++) {
        char byte = 0;
        nanosleep(&pause, NULL);
        long long begin = now();
        if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1) return 1;
        printf("%lld\n", now() - begin);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "hog") == 0) return hog(atoi(argv[2]));
    if (argc == 2 && strcmp(argv[1], "pong") == 0) return pong();
    if (argc == 4 && strcmp(argv[1], "ping") == 0) return ping(argv[2], atoi(argv[3]));
    return 2;
}
