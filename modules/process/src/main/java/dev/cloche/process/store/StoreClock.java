package dev.cloche.process.store;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The authority of a store for time. Safe for use from many threads. */
@FunctionalInterface
public interface StoreClock {
    /** Returns this moment. Ticks never go back within one epoch. */
    StoreTime now();

    /** Returns the time of this program: its wall clock to be shown, and its monotonic clock to decide by. */
    static StoreClock ofProgram(Clock wall) {
        return () -> new StoreTime(
                Instant.ofEpochMilli(wall.millis()), "program", TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }
}
