package dev.cloche.linux;

import java.lang.foreign.MemorySegment;

/**
 * The system calls of this room in C's terms. Every method answers what the kernel answered: the result, or {@code
 * -errno} of this very call, so that no other call can overwrite it.
 */
interface Libc {
    /** {@code open(2)}; {@code path} is NUL-terminated. */
    int open(MemorySegment path, int flags, int mode);

    /** {@code close(2)}. */
    int close(int fd);

    /** {@code flock(2)}. */
    int flock(int fd, int operation);

    /** {@code pidfd_open(2)}. */
    int pidfdOpen(int pid, int flags);

    /** {@code pidfd_send_signal(2)} without a {@code siginfo_t}. */
    int pidfdSendSignal(int pidfd, int signal);

    /** {@code eventfd(2)}. */
    int eventfd(int initial, int flags);

    /** {@code write(2)}. */
    long write(int fd, MemorySegment bytes);

    /** {@code ioctl(2)} with a pointer. */
    int ioctl(int fd, long request, MemorySegment argument);

    /** {@code poll(2)}; {@code fds} is an array of {@code struct pollfd}. Blocks its carrier: platform threads only. */
    int poll(MemorySegment fds, long count, int timeoutMillis);
}
