/* Prints the frequency of the host's time stamp counter in kHz, for the guest's kernel parameter tsc_early_khz
 * (docs/vm.md tells why). Takes a twentieth of a second; do it once per boot of the host. Exit code 1 if the counter
 * is not constant, then the guest has to calibrate for itself. */
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
    uint64_t nanoseconds;
    uint64_t ticks;
};

/* Of several readings the one that was least interrupted: its two clocks are closest together. */
static struct moment now(void) {
    struct moment best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 64; i++) {
        struct timespec time;
        uint64_t before = __rdtsc();
        clock_gettime(CLOCK_MONOTONIC_RAW, &time);
        uint64_t after = __rdtsc();
        if (after - before >= least) continue;
        least = after - before;
        best.nanoseconds = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
        best.ticks = before + least / 2;
    }
    return best;
}

/* CPUID 80000007, EDX bit 8: the counter runs at the same rate in every state of the processor. */
static int is_constant(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8) != 0;
}

int main(void) {
    if (!is_constant()) return 1;
    struct moment start = now();
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    struct moment end = now();
    double ticks = (double)(end.ticks - start.ticks);
    printf("%.0f\n", ticks * 1e6 / (double)(end.nanoseconds - start.nanoseconds));
    return 0;
}
