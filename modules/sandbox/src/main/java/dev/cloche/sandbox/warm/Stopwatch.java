package dev.cloche.sandbox.warm;

import java.time.Duration;

/** Measures how long something takes, by the monotonic clock. */
public record Stopwatch(long begin) {
    public static Stopwatch start() {
        return new Stopwatch(System.nanoTime());
    }

    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
