/* What a guest itself needs to run `true`: prints the nanoseconds of each of so many rounds of fork, exec and wait. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    for (int i = 0; i < rounds; i++) {
        long long begin = now();
        pid_t child = fork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child) return 1;
        printf("%lld\n", now() - begin);
    }
    return 0;
}
