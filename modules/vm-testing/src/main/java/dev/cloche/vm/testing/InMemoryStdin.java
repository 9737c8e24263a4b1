package dev.cloche.vm.testing;

import dev.cloche.vmm.channel.OutputWindow;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;

/**
 * Holds what a program of an in-memory guest reads, through any of its connections. What comes from the host is told with
 * the lock of the execution held.
 */
final class InMemoryStdin {
    /** What the host may send before the program reads. */
    static final int WINDOW = 64 * 1024;

    private final OutputWindow window;
    private long arrived;

    /** Is told where the next attachment goes on. */
    interface Restart {
        void from(long offset, int granted);
    }

    /** @param grant tells the host that it may send so many bytes more; must not block */
    InMemoryStdin(IntConsumer grant) {
        window = new OutputWindow("stdin", WINDOW, grant);
    }

    /** For the program. */
    InputStream stream() {
        return window;
    }

    void arrived(ByteBuffer bytes) {
        long offset = arrived;
        arrived += bytes.remaining();
        window.arrived(offset, bytes);
    }

    /** No more comes. */
    void end() {
        window.end();
    }

    /**
     * Another connection goes on.
     *
     * @param restart told before any later grant
     */
    void restart(Restart restart) {
        window.restart(granted -> restart.from(arrived, granted));
    }
}
