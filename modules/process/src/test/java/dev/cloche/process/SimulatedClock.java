package dev.cloche.process;

import dev.cloche.process.store.StoreClock;
import dev.cloche.process.store.StoreTime;
import java.time.Instant;
import java.util.function.Consumer;

/** A clock that stands still until it is moved. */
public final class SimulatedClock implements StoreClock {
    private final Consumer<StoreTime> moved;
    private long wallMillis = 1_000_000_000_000L;
    private long ticks = 1_000_000_000_000L;
    private int boot = 1;

    public SimulatedClock() {
        this(_ -> {});
    }

    /** @param moved is told of each new time */
    public SimulatedClock(Consumer<StoreTime> moved) {
        this.moved = moved;
    }

    @Override
    public StoreTime now() {
        return new StoreTime(Instant.ofEpochMilli(wallMillis), "boot " + boot, ticks);
    }

    void pass(long millis) {
        wallMillis += millis;
        ticks += millis;
        moved.accept(now());
    }

    /** Sets the wall clock. */
    void jump(long millis) {
        wallMillis += millis;
        moved.accept(now());
    }

    /** Begins another boot, whose ticks begin anywhere. */
    void boot(long firstTicks) {
        boot++;
        ticks = firstTicks;
        moved.accept(now());
    }
}
