package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cloche.base.Deadline;
import dev.cloche.linux.BootTime;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The one deadline of a sandbox: how it is set, put off and refused. */
class DeadlineTest extends OnTestHost {
    private static final String NAME = "limited";
    private static final Duration HOUR = Duration.ofHours(1);

    private SandboxRecord started(Optional<Duration> longest) {
        SandboxSpec spec = TestHost.named(NAME, "sleep", "1000");
        return host.startDetached(longest.map(SandboxPolicies.none()::withMaxDuration)
                .map(spec::withPolicies)
                .orElse(spec));
    }

    private Optional<Duration> left() {
        return host.row(NAME)
                .flatMap(SandboxRecord::latestRun)
                .flatMap(RunRecord::deadline)
                .map(until -> until.minus(BootTime.now()));
    }

    private void assertLeft(Duration expected) {
        assertThat(left())
                .hasValueSatisfying(
                        left -> assertThat(left).isBetween(expected.minus(Duration.ofMinutes(10)), expected));
    }

    @Test
    void theLongestDurationSetsTheFirst() {
        long id = started(Optional.of(HOUR)).id();
        assertLeft(HOUR);
        assertThat(sandboxes.deadline(sandboxes.get(id)))
                .hasValueSatisfying(
                        end -> assertThat(end).isCloseTo(Instant.now().plus(HOUR), within(10, ChronoUnit.MINUTES)));
    }

    @Test
    void anotherRuntimePutsItOffFromWhereItWas() {
        long id = started(Optional.of(HOUR)).id();
        Duration before = left().orElseThrow();
        try (TestHost.Opened other = host.runtime()) {
            Instant end = other.sandboxes().extend(id, HOUR);
            assertThat(end).isAfter(Instant.now().plus(HOUR));
        }
        assertThat(left().orElseThrow()).isBetween(before.plus(HOUR).minus(Duration.ofMinutes(10)), before.plus(HOUR));
    }

    @Test
    void itIsSetEarlierAndItsGuardEndsTheSandbox() {
        long id = started(Optional.empty()).id();
        assertThat(sandboxes.deadline(sandboxes.get(id))).isEmpty();
        assertThatThrownBy(() -> sandboxes.extend(id, HOUR)).isInstanceOf(SandboxException.NoDeadline.class);
        sandboxes.deadline(id, Instant.now().plus(Duration.ofDays(1)));
        assertLeft(Duration.ofDays(1));
        TestHost.expire(sandboxes, id);
        host.awaitEnd(NAME);
        assertThat(host.termination(NAME).reason()).isEqualTo(TerminationReason.MAX_DURATION_EXCEEDED);
        assertThat(sandboxes.deadline(sandboxes.get(id))).isEmpty();
        assertThatThrownBy(() -> sandboxes.extend(id, HOUR)).isInstanceOf(SandboxException.NotRunning.class);
    }

    @Test
    void oneThatPassesBeforeItsTurnEndsTheSandbox() throws Exception {
        long id = started(Optional.of(HOUR)).id();
        try (TestHost.Opened other = host.runtime()) {
            Instant soon = Instant.now().plusSeconds(2);
            FutureTask<Instant> asks = new FutureTask<>(() -> other.sandboxes().deadline(id, soon));
            host.here.catalog().write(transaction -> {
                Thread.ofVirtual().start(asks);
                Awaitility.await().until(() -> Instant.now().isAfter(soon.plusMillis(100)));
                return id;
            });
            assertThat(asks.get()).isAfter(soon);
        }
        host.awaitEnd(NAME);
        assertThat(host.termination(NAME).reason()).isEqualTo(TerminationReason.MAX_DURATION_EXCEEDED);
    }

    /** The guard is told what is left; the row says it by a clock that no process can set. */
    @Test
    void aWallClockThatIsSetMovesNothing() {
        long id = started(Optional.of(HOUR)).id();
        Duration before = left().orElseThrow();
        host.sql("UPDATE run SET started_at = started_at - 86400000");
        sandboxes.extend(id, HOUR);
        assertThat(left().orElseThrow()).isBetween(before.plus(HOUR).minus(Duration.ofMinutes(10)), before.plus(HOUR));
    }

    @Test
    void anEndThatWasAskedForIsNotPutOff() {
        long id = started(Optional.of(HOUR)).id();
        Duration before = left().orElseThrow();
        host.here.store().ask(id, TerminationReason.SHUTDOWN_REQUESTED, SandboxTerminator.ENDABLE);
        assertThatThrownBy(() -> sandboxes.extend(id, HOUR))
                .isInstanceOf(SandboxException.Ending.class)
                .hasMessageContaining("shutdown-requested");
        assertThatThrownBy(() -> sandboxes.deadline(id, Instant.now().plus(HOUR)))
                .isInstanceOf(SandboxException.Ending.class);
        assertThat(left().orElseThrow()).isLessThanOrEqualTo(before);
        sandboxes.stop(NAME, TestHost.GRACE, TestHost.soon());
    }

    @Test
    void whatCannotBeIsRefusedAndChangesNothing() {
        long id = started(Optional.of(HOUR)).id();
        for (Duration wrong :
                new Duration[] {Duration.ZERO, HOUR.negated(), Duration.ofDays(365), Duration.ofSeconds(Long.MAX_VALUE)
                }) {
            assertThatThrownBy(() -> sandboxes.extend(id, wrong))
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
        }
        for (Instant wrong : new Instant[] {
            Instant.now(), Instant.EPOCH, Instant.now().plus(Duration.ofDays(366)), Instant.MAX, Instant.MIN
        }) {
            assertThatThrownBy(() -> sandboxes.deadline(id, wrong))
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
        }
        assertLeft(HOUR);
    }

    @Test
    void itStandsStillWhileItIsSuspendedAndGoesOnWithWhatWasLeft() {
        long id = started(Optional.of(HOUR)).id();
        sandboxes.extend(id, HOUR);
        sandboxes.suspend(NAME, TestHost.soon());
        assertThat(left()).isEmpty();
        assertThat(sandboxes.deadline(sandboxes.get(id))).isEmpty();
        assertThatThrownBy(() -> sandboxes.extend(id, HOUR)).isInstanceOf(SandboxException.NotRunning.class);
        Duration kept = host.here
                .store()
                .suspension(id)
                .flatMap(from -> from.timeLeft())
                .orElseThrow();
        assertThat(kept).isBetween(HOUR, HOUR.multipliedBy(2));
        sandboxes.resume(NAME, TestHost.soon());
        assertLeft(kept);
        sandboxes.extend(id, HOUR);
        assertLeft(kept.plus(HOUR));
    }

    /** It knew nothing of the column, and resumes by another guard. */
    @Test
    void whatAnEarlierVersionResumedIsReckonedByTheWallClock() {
        long id = started(Optional.of(HOUR)).id();
        host.sql("UPDATE run SET guard_start_time = 7, guard_pid = 8, guard_boot_id = 'x', deadline = 1");
        assertThat(left()).isEmpty();
        sandboxes.extend(id, HOUR);
        assertLeft(HOUR.multipliedBy(2));
    }

    @Test
    void aPausedOneHasItsDeadlineToo() {
        long id = started(Optional.of(HOUR)).id();
        sandboxes.pause(NAME, Deadline.none());
        sandboxes.extend(id, HOUR);
        assertLeft(HOUR.multipliedBy(2));
        sandboxes.resume(NAME, Deadline.none());
    }
}
