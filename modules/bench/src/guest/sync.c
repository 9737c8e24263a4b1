/* What it costs to be sure: appends 4 KiB to a file and has it forced to disk, so many times, and prints the nanoseconds of
 * all of them together. The same program runs in a guest and on the host. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    static char block[4096];
    if (count != 3) return 64;
    int file = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return 1;
    long long begin = now();
    for (int left = atoi(arguments[2]); left > 0; left--) {
        if (write(file, block, sizeof block) != sizeof block || fsync(file) != 0) return 1;
    }
    printf("%lld\n", now() - begin);
    return 0;
}
