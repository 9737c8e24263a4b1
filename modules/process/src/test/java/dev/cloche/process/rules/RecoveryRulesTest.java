package dev.cloche.process.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.AbandonReason;
import dev.cloche.process.Backoff;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecoveryRulesTest {
    private static final Instant WALL = Instant.parse("2026-01-01T00:00:00Z");
    private static final StoreTime NOW = new StoreTime(WALL, "boot", 1_000);
    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(3));

    private static ProcessHead process(RecoveryPolicy recovery, int attempts, Optional<LeaseRow> lease) {
        return new ProcessHead(
                1, "p", "h", ProcessStatus.RUNNING, recovery, false, 1, 0, 7, attempts, lease, Optional.empty(), 0);
    }

    private static Optional<LeaseRow> lease(long expires) {
        return Optional.of(new LeaseRow("ann", "token", 7, "boot", expires, WALL));
    }

    @Test
    void aRetriedProcessHasOneAttemptMoreThanItIsRetried() {
        RecoveryPolicy twice = new RecoveryPolicy.Retrying(2, BACKOFF);
        assertThat(RecoveryRules.abandon(process(twice, 2, lease(1)))).isEmpty();
        assertThat(RecoveryRules.abandon(process(twice, 3, lease(1)))).contains(AbandonReason.ATTEMPTS_EXHAUSTED);
        assertThat(RecoveryRules.pauseAfterFailure(process(twice, 1, lease(2_000))))
                .contains(Duration.ofSeconds(1));
        assertThat(RecoveryRules.pauseAfterFailure(process(twice, 2, lease(2_000))))
                .contains(Duration.ofSeconds(2));
        assertThat(RecoveryRules.pauseAfterFailure(process(twice, 3, lease(2_000))))
                .isEmpty();
    }

    @Test
    void aRerunnableProcessHasItsAttemptsAndIsNotTriedAgainAfterAFailure() {
        RecoveryPolicy twice = new RecoveryPolicy.Rerunnable(2);
        assertThat(RecoveryRules.abandon(process(twice, 1, lease(1)))).isEmpty();
        assertThat(RecoveryRules.abandon(process(twice, 2, lease(1)))).contains(AbandonReason.ATTEMPTS_EXHAUSTED);
        assertThat(RecoveryRules.pauseAfterFailure(process(twice, 1, lease(2_000))))
                .isEmpty();
    }

    @Test
    void whatIsBoundToItsOwnerEndsWithItAndWhatIsDrivenFromOutsideIsNoWorkers() {
        RecoveryPolicy bound = new RecoveryPolicy.OwnerBound();
        assertThat(RecoveryRules.abandon(process(bound, 1, lease(1)))).contains(AbandonReason.OWNER_LOST);
        assertThat(RecoveryRules.abandon(process(bound, 1, Optional.empty()))).isEmpty();
        ProcessHead outside = process(new RecoveryPolicy.ExternallyOwned(), 0, Optional.empty());
        assertThatThrownBy(() -> RecoveryRules.abandon(outside)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whoseLeaseGoesOnIsNotLost() {
        RecoveryPolicy twice = new RecoveryPolicy.Rerunnable(2);
        assertThat(RecoveryRules.lostOwner(process(twice, 1, lease(1_001)), NOW))
                .isEmpty();
        assertThat(RecoveryRules.lostOwner(process(twice, 1, lease(1_000)), NOW))
                .contains("ann");
    }

    @Test
    void aPauseIsOverAtItsEndAfterABootAndIfItIsLongerThanAnyCanBe() {
        assertThat(new PauseRow("boot", 1_001).isLive(NOW)).isTrue();
        assertThat(new PauseRow("boot", 1_000).isLive(NOW)).isFalse();
        assertThat(new PauseRow("earlier boot", 1_001).isLive(NOW)).isFalse();
        long longest = 1_000 + StoreTime.LONGEST_MILLIS;
        assertThat(new PauseRow("boot", longest).isLive(NOW)).isTrue();
        assertThat(new PauseRow("boot", longest + 1).isLive(NOW)).isFalse();
    }
}
