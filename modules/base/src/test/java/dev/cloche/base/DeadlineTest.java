package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    @Test
    void noneNeverPasses() {
        assertThat(Deadline.none().passed()).isFalse();
        assertThat(Deadline.none().remainingMillis()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void zeroHasPassed() {
        assertThat(Deadline.after(Duration.ZERO).passed()).isTrue();
        assertThat(Deadline.after(Duration.ofSeconds(-1)).remainingNanos()).isZero();
    }

    @Test
    void durationsBeyondTheRangeOfALongAreFarAway() {
        assertThat(Deadline.after(Duration.ofSeconds(Long.MAX_VALUE)).passed()).isFalse();
    }

    @Test
    void theEarlierOfTwoWins() {
        assertThat(Deadline.none().orAfter(Duration.ZERO).passed()).isTrue();
        assertThat(Deadline.after(Duration.ZERO).orAfter(Duration.ofHours(1)).passed())
                .isTrue();
        assertThat(Deadline.after(Duration.ofHours(1)).orAfter(Duration.ZERO).passed())
                .isTrue();
    }

    @Test
    void theLaterOfTwoWins() {
        assertThat(Deadline.none().atLeast(Duration.ZERO).remainingMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(Deadline.after(Duration.ZERO).atLeast(Duration.ofHours(1)).passed())
                .isFalse();
        assertThat(Deadline.after(Duration.ofHours(1)).atLeast(Duration.ZERO).passed())
                .isFalse();
    }
}
