#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bytes.h"
#include "output.h"
#include "loop.h"
#include "port.h"

enum { PIECE = 32 * 1024, OFFSET = 8, ENVELOPE = FRAME_HEADER + OFFSET + FRAME_SEAL };

void output_close(struct output *output) {
    if (output->fd >= 0) loop_close(output->fd);
    output->fd = -1;
}

void output_drain(struct output *output) {
    int length = 0;
    if (output->fd < 0) return;
    if (ioctl(output->fd, FIONREAD, &length) != 0 || length < 0) length = 0;
    output->remaining = (uint32_t)length;
    output->draining = output->readable = true;
}

bool output_pump(struct output *output, int port, uint16_t type, uint32_t stream) {
    static uint8_t piece[PIECE];
    if (output->fd < 0) return false;
    if (output->draining && output->remaining == 0) {
        output_close(output);
        return true;
    }
    if (!output->readable) return false;
    uint32_t wanted = PIECE;
    if (output->draining && output->remaining < wanted) wanted = output->remaining;
    if (port != NO_PORT) {
        if (output->credit < wanted) wanted = output->credit;
        if (wanted == 0 || port_data_room(port) < wanted + ENVELOPE) return false;
    }
    ssize_t n = read(output->fd, piece, wanted);
    if (n < 0 && errno == EINTR) return true;
    if (n < 0 && errno == EAGAIN && !output->draining) {
        output->readable = false;
        return false;
    }
    if (n <= 0) { /* the end, or a descendant has taken back what was left in the pipe */
        output_close(output);
        return true;
    }
    if (port != NO_PORT) {
        uint8_t offset[OFFSET];
        put64(offset, output->offset);
        struct frame frame = {.type = type, .stream = stream, .length = (uint32_t)n, .payload = piece};
        port_send(port, &frame, offset, sizeof offset);
        output->credit -= (uint32_t)n;
    }
    output->offset += (uint64_t)n;
    if (output->draining) output->remaining -= (uint32_t)n;
    return true;
}
