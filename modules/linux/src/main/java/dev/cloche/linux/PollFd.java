package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The layout of {@code struct pollfd} of poll(2): int fd, short events, short revents. */
final class PollFd {
    static final long SIZE = 8;
    private static final short POLLIN = 1;

    private PollFd() {}

    static void set(MemorySegment fds, int index, int fd) {
        fds.set(ValueLayout.JAVA_INT, index * SIZE, fd);
        fds.set(ValueLayout.JAVA_SHORT, index * SIZE + 4, POLLIN);
        fds.set(ValueLayout.JAVA_SHORT, index * SIZE + 6, (short) 0);
    }

    static boolean ready(MemorySegment fds, int index) {
        return fds.get(ValueLayout.JAVA_SHORT, index * SIZE + 6) != 0;
    }
}
