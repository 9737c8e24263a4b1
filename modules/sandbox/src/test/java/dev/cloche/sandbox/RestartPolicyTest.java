package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestartPolicyTest {
    @ParameterizedTest
    @ValueSource(strings = {"no", "on-failure", "on-failure:3", "always"})
    void aPolicyIsReadAsItIsWritten(String text) {
        assertThat(RestartPolicy.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "never", "ON-FAILURE", "on-failure:", "on-failure:0", "on-failure:x", "always:3"})
    void whatIsNoPolicyIsRefused(String text) {
        assertThatThrownBy(() -> RestartPolicy.parse(text)).isInstanceOf(SandboxException.InvalidSpecification.class);
    }

    @ParameterizedTest
    @EnumSource(TerminationReason.class)
    void onlyFailuresAreFailures(TerminationReason reason) {
        boolean failure = switch (reason) {
            case FAILED, AGENT_UNRESPONSIVE, SIGNAL, INTERNAL_ERROR -> true;
            case COMPLETED, MAX_DURATION_EXCEEDED, IDLE_TIMEOUT, SHUTDOWN_REQUESTED, DRAIN_REQUESTED -> false;
        };
        assertThat(RestartPolicy.onFailure().wants(termination(reason, false), 0))
                .isEqualTo(failure);
        assertThat(RestartPolicy.always().wants(termination(reason, false), 0)).isTrue();
        assertThat(RestartPolicy.no().wants(termination(reason, false), 0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(TerminationReason.class)
    void noEndThatWasAskedForIsUndone(TerminationReason reason) {
        assertThat(RestartPolicy.always().wants(termination(reason, true), 0)).isFalse();
        assertThat(RestartPolicy.onFailure().wants(termination(reason, true), 0))
                .isFalse();
    }

    @Test
    void theLimitCountsRestartsInARow() {
        RestartPolicy policy = RestartPolicy.onFailure(2);
        assertThat(policy.wants(termination(TerminationReason.FAILED, false), 1))
                .isTrue();
        assertThat(policy.wants(termination(TerminationReason.FAILED, false), 2))
                .isFalse();
    }

    @Test
    void thePauseDoublesUpToAMinute() {
        assertThat(RestartPolicy.pause(0)).isEqualTo(Duration.ofMillis(100));
        assertThat(RestartPolicy.pause(3)).isEqualTo(Duration.ofMillis(800));
        assertThat(RestartPolicy.pause(1000)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aLimitBelongsToFailuresAndIsPositive() {
        assertThatThrownBy(() -> RestartPolicy.onFailure(0)).isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThatThrownBy(() -> new RestartPolicy(RestartPolicy.Kind.ALWAYS, OptionalInt.of(1)))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
    }

    private static Termination termination(TerminationReason reason, boolean asked) {
        return new Termination(reason, asked, OptionalInt.empty(), OptionalInt.empty(), "");
    }
}
