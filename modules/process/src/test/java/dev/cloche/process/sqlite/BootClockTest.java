package dev.cloche.process.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.store.StoreTime;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class BootClockTest {
    @Test
    void theTimeSinceTheBootIsReadFromTheKernel() {
        BootClock clock = BootClock.ofHost(Clock.systemUTC());
        StoreTime first = clock.now();
        assertThat(first.epoch()).matches("[0-9a-f-]{36}");
        for (int i = 0; i < 100_000; i++) {
            StoreTime next = clock.now();
            assertThat(next.ticks() >= first.ticks()).isTrue();
            first = next;
        }
    }
}
