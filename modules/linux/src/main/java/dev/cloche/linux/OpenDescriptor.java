package dev.cloche.linux;

import dev.cloche.base.RawText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** An open file descriptor with the calls that every kind of file has. Closing twice does nothing. */
final class OpenDescriptor implements AutoCloseable {
    static final int AT_EMPTY_PATH = 0x1000;
    private static final int CLOSED = -1;
    private static final int TIMESPEC = 16;
    private static final long UTIME_OMIT = (1L << 30) - 2;

    final FileCalls calls;
    /** For messages. */
    final String name;

    private final AtomicInteger fd;

    OpenDescriptor(FileCalls calls, int fd, String name) {
        this.calls = calls;
        this.fd = new AtomicInteger(fd);
        this.name = name;
    }

    int fd() {
        int open = fd.get();
        if (open == CLOSED) {
            throw new IllegalStateException(name + " is closed");
        }
        return open;
    }

    FileStatus status() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(FileStatus.STRUCT_SIZE, Long.BYTES);
            check("stat", calls.statx(fd(), text(arena, ""), AT_EMPTY_PATH, FileStatus.MASK, result));
            return FileStatus.of(result);
        }
    }

    void setMode(int mode) {
        check("chmod", calls.fchmod(fd(), mode));
    }

    void setOwner(long uid, long gid) {
        try (Arena arena = Arena.ofConfined()) {
            check("chown", calls.fchownat(fd(), text(arena, ""), (int) uid, (int) gid, AT_EMPTY_PATH));
        }
    }

    void setModified(Instant time) {
        try (Arena arena = Arena.ofConfined()) {
            check("utimens", calls.futimens(fd(), times(arena, time)));
        }
    }

    long check(String call, long result) {
        return check(call, name, result);
    }

    static long check(String call, String target, long result) {
        if (result < 0) {
            throw new SystemCallException(call, target, (int) -result);
        }
        return result;
    }

    /** The times of {@code utimensat}: the access time stays as it is. */
    static MemorySegment times(Arena arena, Instant modified) {
        MemorySegment times = arena.allocate(2 * TIMESPEC, Long.BYTES);
        times.set(ValueLayout.JAVA_LONG, Long.BYTES, UTIME_OMIT);
        times.set(ValueLayout.JAVA_LONG, TIMESPEC, modified.getEpochSecond());
        times.set(ValueLayout.JAVA_LONG, TIMESPEC + Long.BYTES, modified.getNano());
        return times;
    }

    /**
     * NUL-terminated.
     *
     * @throws IllegalArgumentException if the text has a NUL itself
     */
    static MemorySegment text(Arena arena, String text) {
        byte[] bytes = RawText.encode(text);
        MemorySegment segment = arena.allocate(bytes.length + 1L);
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a NUL in a name");
        }
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment;
    }

    @Override
    public void close() {
        int open = fd.getAndSet(CLOSED);
        if (open != CLOSED) {
            calls.close(open);
        }
    }
}
