package dev.cloche.process.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.Lease;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessLeases;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaseRulesTest {
    private static final Instant WALL = Instant.parse("2026-11-21T10:00:00Z");

    private static StoreTime at(String epoch, long ticks) {
        return new StoreTime(WALL, epoch, ticks);
    }

    private static LeaseRow row(String epoch, long expires) {
        return new LeaseRow("ann", "token", 7, epoch, expires, WALL);
    }

    private static ProcessHead process(Optional<LeaseRow> lease) {
        return new ProcessHead(
                1,
                "p",
                "h",
                ProcessStatus.RUNNING,
                new RecoveryPolicy.Rerunnable(3),
                false,
                1,
                0,
                7,
                1,
                lease,
                Optional.empty(),
                0);
    }

    @Test
    void aLeaseIsLiveUntilItsEndAndNotAtIt() {
        assertThat(row("boot", 1_000).isLive(at("boot", 999))).isTrue();
        assertThat(row("boot", 1_000).isLive(at("boot", 1_000))).isFalse();
    }

    @Test
    void aLeaseOfAnotherBootHasExpiredForAllItsTicks() {
        assertThat(row("earlier boot", 1_000).isLive(at("boot", 5))).isFalse();
    }

    @Test
    void aLeaseThatIsFurtherAheadThanALeaseCanBeHasExpired() {
        long longest = StoreTime.LONGEST_MILLIS;
        assertThat(row("boot", 50 + longest).isLive(at("boot", 50))).isTrue();
        assertThat(row("boot", 51 + longest).isLive(at("boot", 50))).isFalse();
        assertThat(row("boot", Long.MAX_VALUE).isLive(at("boot", 50))).isFalse();
    }

    @Test
    void arithmeticAtTheEndOfTimeSaturates() {
        StoreTime end = at("boot", Long.MAX_VALUE - 10);
        LeaseRules.Decision claim = LeaseRules.claim(process(Optional.empty()), "bob", "t", 1_000, end);
        LeaseRow taken = claim.lease().orElseThrow();
        assertThat(taken.expiresTicks()).isEqualTo(Long.MAX_VALUE);
        assertThat(taken.isLive(end)).isTrue();
        assertThat(at("boot", -5).ticksAfter(3)).isEqualTo(-2);
        assertThat(at("boot", 5).ticksAfter(0)).isEqualTo(5);
    }

    @Test
    void theWallClockHasNoSay() {
        StoreTime later = new StoreTime(WALL.plusSeconds(1_000_000), "boot", 10);
        assertThat(row("boot", 11).isLive(later)).isTrue();
        assertThatThrownBy(() -> LeaseRules.claim(process(Optional.of(row("boot", 11))), "bob", "t", 5, later))
                .isInstanceOfSatisfying(
                        ProcessException.AlreadyLeased.class,
                        taken ->
                                assertThat(taken.until()).isEqualTo(later.wall().plusMillis(1)));
    }

    @Test
    void aClaimRaisesTheFenceAlsoOfALostLease() {
        LeaseRules.Decision claim =
                LeaseRules.claim(process(Optional.of(row("other", 9))), "bob", "new", 5, at("boot", 100));
        assertThat(claim.fence()).isEqualTo(8);
        assertThat(claim.attempts()).isEqualTo(2);
        assertThat(claim.lease()).contains(new LeaseRow("bob", "new", 8, "boot", 105, WALL));
    }

    @Test
    void tokenFenceAndOwnerAllHaveToMatch() {
        StoreTime now = at("boot", 5);
        ProcessHead held = process(Optional.of(row("boot", 10)));
        Lease good = new Lease("p", "ann", "token", 7, WALL, WALL);
        assertThat(LeaseRules.renew(held, good, 20, now).lease().orElseThrow().expiresTicks())
                .isEqualTo(25);
        for (Lease wrong : new Lease[] {
            new Lease("p", "ann", "other", 7, WALL, WALL),
            new Lease("p", "ann", "token", 6, WALL, WALL),
            new Lease("p", "bob", "token", 7, WALL, WALL)
        }) {
            assertThatThrownBy(() -> LeaseRules.renew(held, wrong, 20, now))
                    .isInstanceOf(ProcessException.LeaseLost.class);
            assertThat(LeaseRules.release(held, wrong)).isEmpty();
        }
        assertThat(LeaseRules.release(held, good)).contains(new LeaseRules.Decision(Optional.empty(), 7, 0));
    }

    @Test
    void workersAreToldOfALeaseThatEndsBeforeTheEndThatTheyKnow() {
        ProcessHead held = process(Optional.of(row("boot", 10)));
        assertThat(endsEarlier(held, Optional.empty(), 5)).isTrue();
        assertThat(endsEarlier(held, Optional.of(row("boot", 9)), 5)).isTrue();
        assertThat(endsEarlier(held, Optional.of(row("boot", 10)), 5)).isFalse();
        assertThat(endsEarlier(held, Optional.empty(), 10))
                .as("they know that it is over")
                .isFalse();
        assertThat(endsEarlier(held.withStatus(ProcessStatus.COMPLETED), Optional.empty(), 5))
                .isFalse();
    }

    private static boolean endsEarlier(ProcessHead process, Optional<LeaseRow> lease, long ticks) {
        return LeaseRules.endsEarlier(process, new LeaseRules.Decision(lease, 7, 1), at("boot", ticks));
    }

    @Test
    void aLeaseLastsFromAMillisecondToADay() {
        assertThat(LeaseRules.requireTtl(Duration.ofMillis(1))).isEqualTo(1);
        assertThat(LeaseRules.requireTtl(ProcessLeases.LONGEST_LEASE)).isEqualTo(StoreTime.LONGEST_MILLIS);
        assertThatThrownBy(() -> LeaseRules.requireTtl(Duration.ZERO)).isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> LeaseRules.requireTtl(ProcessLeases.LONGEST_LEASE.plusNanos(1)))
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    void theTokenIsNotPrinted() {
        assertThat(new Lease("p", "ann", "secret", 7, WALL, WALL).toString()).doesNotContain("secret");
    }
}
