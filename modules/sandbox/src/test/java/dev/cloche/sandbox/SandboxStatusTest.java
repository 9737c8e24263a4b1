package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SandboxStatusTest {
    @ParameterizedTest
    @EnumSource(SandboxStatus.class)
    void isEitherActiveOrTerminalUnlessItHasNoVmYetOrJustNow(SandboxStatus status) {
        boolean without = status == SandboxStatus.CREATED || status == SandboxStatus.SUSPENDED;
        assertThat((status.active() ? 1 : 0) + (status.terminal() ? 1 : 0)).isEqualTo(without ? 0 : 1);
    }

    @ParameterizedTest
    @EnumSource(SandboxStatus.class)
    void neverFollowsItself(SandboxStatus status) {
        assertThat(status.successors()).isNotEmpty().doesNotContain(status);
    }

    @Test
    void everyActiveStatusCanEndBothWays() {
        for (SandboxStatus status : SandboxStatus.values()) {
            if (status.active()) {
                assertThat(status.successors()).containsAll(EnumSet.of(SandboxStatus.STOPPED, SandboxStatus.CRASHED));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TerminationReason.class)
    void everyReasonLeadsToATerminalStatus(TerminationReason reason) {
        assertThat(reason.status(true).terminal()).isTrue();
        assertThat(reason.status(false).terminal()).isTrue();
    }
}
