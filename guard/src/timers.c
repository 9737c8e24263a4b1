#include "timers.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "fail.h"

void timer_set(int timer, int64_t milliseconds) {
    struct itimerspec when = {
        .it_value = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000},
    };
    timerfd_settime(timer, 0, &when, NULL);
}

int timer_open(int64_t milliseconds) {
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer < 0) fail("no timer: %s", strerror(errno));
    timer_set(timer, milliseconds);
    return timer;
}

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
