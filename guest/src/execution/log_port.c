#include "execution/log_port.h"

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "loop/loop.h"
#include "sys/clock.h"
#include "wire/bytes.h"
#include "wire/frame.h"
#include "wire/frame_out.h"

static int fd = -1;
static bool writable;

bool log_port_is_open(void) { return fd >= 0; }

void log_port_open(int opened) {
    fd = opened;
    if (fd < 0) return;
    writable = true;
    loop_watch(fd, EPOLLOUT, LOG_PORT, 0);
}

void log_port_event(void) { writable = true; }

static bool send_piece(struct output *output, uint32_t channel, uint32_t length) {
    uint8_t prefix[16];
    put64(prefix, clock_ns(CLOCK_REALTIME));
    put64(prefix + 8, output->window.logged);
    struct iovec slices[2];
    int count = store_slices(&output->store, output->window.logged, length, slices);
    size_t size;
    const uint8_t *bytes = frame_out_make(LOG, channel, prefix, sizeof prefix, slices, count, &size);
    ssize_t n = write(fd, bytes, size);
    if (n > 0) return true; /* all of it, by the driver's way (frame_out.h) */
    if (n < 0 && errno == ENODEV) {
        loop_close(fd);
        fd = -1;
    }
    writable = n < 0 && errno == EINTR;
    return false;
}

bool log_port_send(struct output *output, uint32_t channel) {
    struct window *window = &output->window;
    if (!window->logging) return false;
    if (fd < 0) {
        window->logging = false;
        return true;
    }
    uint64_t waiting = window->end - window->logged;
    uint32_t length = waiting < FRAME_OUT_MAX ? (uint32_t)waiting : FRAME_OUT_MAX;
    if (length == 0 || !writable || !send_piece(output, channel, length)) return false;
    window->logged += length;
    return true;
}
