package dev.cloche.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A terminal behind a descriptor of this process. Safe for use from several threads. */
public final class Terminal {
    private static final long TCGETS = 0x5401;
    /** Waits until what was written is out. */
    private static final long TCSETSW = 0x5403;

    private static final long TIOCGWINSZ = 0x5413;
    private static final long WINDOW_SIZE = 8;

    private final Libc libc;
    private final int fd;

    private Terminal(Libc libc, int fd) {
        this.libc = libc;
        this.fd = fd;
    }

    /** Returns the terminal that a descriptor, 0 for the standard input, is open on; empty if it is something else. */
    public static Optional<Terminal> of(int fd) {
        return of(LibcHolder.libc(), fd);
    }

    static Optional<Terminal> of(Libc libc, int fd) {
        try (Arena arena = Arena.ofConfined()) {
            return libc.ioctl(fd, TCGETS, arena.allocate(TerminalMode.SIZE, Integer.BYTES)) == 0
                    ? Optional.of(new Terminal(libc, fd))
                    : Optional.empty();
        }
    }

    /**
     * Returns how many characters it shows at present.
     *
     * @throws SystemCallException if the terminal is gone
     */
    public WindowSize size() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(WINDOW_SIZE, Short.BYTES);
            demand("TIOCGWINSZ", libc.ioctl(fd, TIOCGWINSZ, size));
            return new WindowSize(
                    Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 0)),
                    Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, Short.BYTES)));
        }
    }

    /**
     * Lets every key through as the byte that it is, unechoed, until the result is closed. Keys that were typed before
     * are not lost.
     *
     * @throws SystemCallException if the terminal is gone
     */
    public RawMode raw() {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment before = arena.allocate(TerminalMode.SIZE, Integer.BYTES);
            demand("TCGETS", libc.ioctl(fd, TCGETS, before));
            MemorySegment raw = arena.allocate(TerminalMode.SIZE, Integer.BYTES).copyFrom(before);
            TerminalMode.makeRaw(raw);
            demand("TCSETSW", libc.ioctl(fd, TCSETSW, raw));
            return new RawMode(arena, before);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private void demand(String call, int result) {
        if (result < 0) {
            throw new SystemCallException(call, "the terminal", -result);
        }
    }

    /** The raw mode of a terminal; closing it brings back the mode of before. Closing twice does nothing. */
    public final class RawMode implements AutoCloseable {
        private final Arena arena;
        private final MemorySegment before;
        private final AtomicBoolean closed = new AtomicBoolean();

        private RawMode(Arena arena, MemorySegment before) {
            this.arena = arena;
            this.before = before;
        }

        /** Restores the mode, if the terminal is still there; this does not fail. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                libc.ioctl(fd, TCSETSW, before);
                arena.close();
            }
        }
    }
}
