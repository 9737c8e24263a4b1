package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A C library whose calls answer what the test says, and that remembers which descriptors are closed. */
final class FaultyLibc implements Libc {
    final List<Integer> closed = new ArrayList<>();
    final List<Integer> operations = new ArrayList<>();
    int open = 100;
    int flock;
    int ioctl;
    int interruptions;
    int pidfdOpen = 101;
    int pidfdSendSignal;

    @Override
    public int open(MemorySegment path, int flags, int mode) {
        return open;
    }

    @Override
    public int close(int fd) {
        closed.add(fd);
        return 0;
    }

    @Override
    public int flock(int fd, int operation) {
        operations.add(operation);
        return interruptions-- > 0 ? -Errno.EINTR : flock;
    }

    @Override
    public int pidfdOpen(int pid, int flags) {
        return pidfdOpen;
    }

    @Override
    public int pidfdSendSignal(int pidfd, int signal) {
        return pidfdSendSignal;
    }

    @Override
    public int eventfd(int initial, int flags) {
        return -Errno.EMFILE;
    }

    @Override
    public long write(int fd, MemorySegment bytes) {
        return bytes.byteSize();
    }

    @Override
    public int ioctl(int fd, long request, MemorySegment argument) {
        return ioctl;
    }

    @Override
    public int poll(MemorySegment fds, long count, int timeoutMillis) {
        return 0;
    }
}
