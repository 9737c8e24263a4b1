package dev.cloche.base;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Stands still until a test sets it. Safe for use from several threads. */
public final class TestClock extends Clock {
    private volatile Instant now = Instant.parse("2026-01-01T12:00:00Z");

    public void forward(Duration by) {
        now = now.plus(by);
    }

    public void back(Duration by) {
        now = now.minus(by);
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
