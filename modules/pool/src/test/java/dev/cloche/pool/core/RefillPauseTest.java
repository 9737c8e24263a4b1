package dev.cloche.pool.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RefillPauseTest {
    private static final long AFTER = RefillPause.AFTER.toNanos();
    private static final long LONGEST = RefillPause.LONGEST.toNanos();

    private final RefillPause pause = new RefillPause();

    @Test
    void aRestoreWaitsForAHandOverAndAMomentMore() {
        assertThat(pause.holds(true, OptionalLong.of(0), 1)).isTrue();
        pause.handedOver(10);
        assertThat(pause.holds(false, OptionalLong.of(0), 9 + AFTER)).isTrue();
        assertThat(pause.due(10)).hasValue(AFTER);
        assertThat(pause.holds(false, OptionalLong.of(0), 10 + AFTER)).isFalse();
        assertThat(pause.due(10 + AFTER)).isEmpty();
    }

    @Test
    void manyHandOversDoNotHoldItForLonger() {
        pause.handedOver(LONGEST);
        assertThat(pause.holds(true, OptionalLong.of(1), LONGEST)).isTrue();
        assertThat(pause.holds(true, OptionalLong.of(1), LONGEST + 1)).isFalse();
    }

    @Test
    void nothingIsHeldWhileNothingIsHandedOver() {
        assertThat(pause.holds(false, OptionalLong.of(0), 1)).isFalse();
        assertThat(pause.due(0)).isEmpty();
        pause.handedOver(0);
        assertThat(pause.holds(false, OptionalLong.empty(), 1)).isFalse();
    }
}
