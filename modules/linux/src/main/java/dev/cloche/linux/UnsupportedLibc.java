package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/** Stands in where no native call can be made: every call says why, and none does anything. */
final class UnsupportedLibc implements Libc {
    private final Supplier<LinuxException> why;

    UnsupportedLibc(Supplier<LinuxException> why) {
        this.why = why;
    }

    @Override
    public int open(MemorySegment path, int flags, int mode) {
        throw unsupported();
    }

    @Override
    public int close(int fd) {
        throw unsupported();
    }

    @Override
    public int flock(int fd, int operation) {
        throw unsupported();
    }

    @Override
    public int pidfdOpen(int pid, int flags) {
        throw unsupported();
    }

    @Override
    public int pidfdSendSignal(int pidfd, int signal) {
        throw unsupported();
    }

    @Override
    public int eventfd(int initial, int flags) {
        throw unsupported();
    }

    @Override
    public long write(int fd, MemorySegment bytes) {
        throw unsupported();
    }

    @Override
    public int ioctl(int fd, long request, MemorySegment argument) {
        throw unsupported();
    }

    @Override
    public int poll(MemorySegment fds, long count, int timeoutMillis) {
        throw unsupported();
    }

    private LinuxException unsupported() {
        return why.get();
    }
}
