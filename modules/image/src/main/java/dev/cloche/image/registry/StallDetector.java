package dev.cloche.image.registry;

import java.io.IOException;
import java.time.Duration;

/**
 * Detects a stalled download: whether a registry sends fast enough to be waited for. A byte now and then would keep a pull
 * busy for years. Only the time that is spent waiting counts, not that of a slow reader. For one thread.
 */
final class StallDetector {
    /** Bytes a second, on average over the longest silence that is allowed. */
    static final long LEAST = 1024;

    private final Duration window;
    private long waited;
    private long arrived;

    StallDetector(Duration window) {
        this.window = window;
    }

    /** @throws IOException if too little has arrived for the time that it took */
    void arrived(long bytes, long nanosWaited) throws IOException {
        waited += nanosWaited;
        arrived += bytes;
        if (waited < window.toNanos()) {
            return;
        }
        if (arrived < LEAST * waited / 1_000_000_000) {
            throw new IOException("less than " + LEAST + " bytes a second arrive");
        }
        waited = 0;
        arrived = 0;
    }
}
