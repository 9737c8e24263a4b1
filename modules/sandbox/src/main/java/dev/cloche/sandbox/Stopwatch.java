package dev.cloche.sandbox;

import java.time.Duration;

/** How long something takes, by the monotonic clock. */
record Stopwatch(long begin) {
    static Stopwatch start() {
        return new Stopwatch(System.nanoTime());
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
