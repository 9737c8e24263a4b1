package dev.cloche.process;

import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.process.rules.AppendRules;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** One owner at a time. The rules of time one by one are in {@code LeaseRulesTest}. */
public interface LeaseContract extends ContractFixture {
    Duration LONG = Duration.ofMinutes(10);
    Duration SHORT = Duration.ofMillis(20);

    @Test
    default void aLeaseKeepsOthersAwayUntilItIsReleased() {
        registry().register(registration("p"));
        Lease lease = registry().claim("p", "ann", LONG);
        assertThat(lease.fence()).isEqualTo(1);
        assertThat(lease.token()).hasSize(32);
        assertThat(lease.expiresAt()).isAfter(lease.claimedAt());
        assertThatThrownBy(() -> registry().claim("p", "bob", LONG))
                .isInstanceOfSatisfying(ProcessException.AlreadyLeased.class, taken -> {
                    assertThat(taken.holder()).isEqualTo("ann");
                    assertThat(taken.until()).isAfter(Instant.EPOCH);
                })
                .hasMessageContaining("already leased by ann until ");
        registry().release(lease);
        assertThat(registry().claim("p", "bob", LONG).fence()).isEqualTo(2);
    }

    @Test
    default void theSameOwnerClaimingAgainShutsItsOlderSelfOut() {
        registry().register(registration("p"));
        Lease older = registry().claim("p", "ann", LONG);
        Lease newer = registry().claim("p", "ann", LONG);
        assertThat(newer.fence()).isEqualTo(older.fence() + 1);
        assertThat(newer.token()).isNotEqualTo(older.token());
        assertThatThrownBy(() -> registry().renew(older, LONG)).isInstanceOf(ProcessException.LeaseLost.class);
        assertThatThrownBy(() -> registry().append(older, note(1))).isInstanceOf(ProcessException.LeaseLost.class);
        assertThatThrownBy(() -> registry().completeWithLease(older, success(1)))
                .isInstanceOf(ProcessException.LeaseLost.class);
        registry().release(older);
        assertThat(registry().renew(newer, LONG).fence()).isEqualTo(newer.fence());
    }

    @Test
    default void anExpiredLeaseCanBeTakenAndNotRenewedEvenIfItIsStillFree() {
        registry().register(registration("p"));
        Lease lost = registry().claim("p", "ann", SHORT);
        await().untilAsserted(() -> assertThatThrownBy(() -> registry().renew(lost, SHORT))
                .isInstanceOf(ProcessException.LeaseLost.class)
                .hasMessageContaining("missing or expired"));
        assertThatThrownBy(() -> registry().completeWithLease(lost, success(1)))
                .isInstanceOf(ProcessException.LeaseLost.class);
        assertThatThrownBy(() -> registry().append(lost, note(1))).isInstanceOf(ProcessException.LeaseLost.class);
        Lease taken = registry().claim("p", "bob", LONG);
        assertThat(taken.fence()).isEqualTo(2);
        registry().release(lost);
        assertThat(registry().renew(taken, LONG).token()).isEqualTo(taken.token());
        assertThat(registry().eventsAfter("p", 0, 1)).isEmpty();
    }

    @Test
    default void renewingKeepsTokenAndFenceAndMovesTheEnd() {
        registry().register(registration("p"));
        Lease lease = registry().claim("p", "ann", Duration.ofMinutes(1));
        Lease renewed = registry().renew(lease, LONG);
        assertThat(renewed.token()).isEqualTo(lease.token());
        assertThat(renewed.fence()).isEqualTo(lease.fence());
        assertThat(renewed.claimedAt()).isEqualTo(lease.claimedAt());
        assertThat(renewed.expiresAt()).isAfter(lease.expiresAt());
    }

    @Test
    default void releasingIsRepeatableAndTheFenceSurvivesIt() {
        registry().register(registration("p"));
        for (int round = 1; round <= 5; round++) {
            Lease lease = registry().claim("p", "o" + round, LONG);
            assertThat(lease.fence()).isEqualTo(round);
            registry().release(lease);
            registry().release(lease);
        }
    }

    @Test
    default void anEndedProcessCanStillBeLeased() {
        registry().register(registration("p"));
        registry().complete("p", success(1));
        Lease lease = registry().claim("p", "ann", LONG);
        registry().append(lease, note(1));
        registry().release(lease);
        assertThat(registry().get("p").orElseThrow().attempts()).isZero();
    }

    @Test
    default void completingWithTheLeaseEndsAndReleasesInOne() {
        registry().register(registration("p"));
        Lease lease = registry().claim("p", "ann", LONG);
        AppendResult end = registry().completeWithLease(lease, success(1));
        assertThat(registry().get("p").orElseThrow().output()).contains(success(1));
        assertThat(registry().claim("p", "bob", LONG).fence()).isEqualTo(2);
        // Its answer may have been lost.
        assertThat(registry().completeWithLease(lease, success(1)).event()).isEqualTo(end.event());
        assertThatThrownBy(() -> registry().completeWithLease(lease, failure("x")))
                .isInstanceOf(ProcessException.LeaseLost.class);
    }

    @Test
    default void aProcessThatEndsWithItsLeaseOnlyAcceptsNoOtherEnd() {
        registry().register(registration("p").withLeaseRequired(true));
        assertThatThrownBy(() -> registry().complete("p", success(1)))
                .isInstanceOf(ProcessException.LeaseRequired.class);
        EventAppend terminal = AppendRules.completion("p", success(1));
        assertThatThrownBy(() -> registry().append("p", terminal)).isInstanceOf(ProcessException.LeaseRequired.class);
        Lease lease = registry().claim("p", "ann", LONG);
        assertThatThrownBy(() -> registry().complete("p", success(1)))
                .isInstanceOf(ProcessException.LeaseRequired.class);
        registry().append("p", note(1));
        registry().cancel("p", "anybody may ask");
        registry().completeWithLease(lease, success(1));
        assertThat(registry().complete("p", success(1)).replayed()).isTrue();
    }

    @Test
    default void aHolderAppendsWithItsLeaseAndAReplayNeedsItNoMore() {
        registry().register(registration("p"));
        Lease lease = registry().claim("p", "ann", LONG);
        AppendResult first = registry().append(lease, note(1).withReplayKey("k"));
        registry().release(lease);
        assertThat(registry().append(lease, note(1).withReplayKey("k")).event()).isEqualTo(first.event());
        assertThatThrownBy(() -> registry().append(lease, note(2))).isInstanceOf(ProcessException.LeaseLost.class);
    }

    @Test
    default void whoWaitsForWorkIsToldOfWhatItCanHaveAndOfNothingElse() throws Exception {
        Set<String> types = Set.of(ProcessInput.TOOL_CALL);
        Deadline now = Deadline.after(Duration.ZERO);
        assertThat(registry().awaitClaimable(types, now)).isFalse();
        registry().register(registration("outside").withRecovery(new RecoveryPolicy.ExternallyOwned()));
        registry().register(registration("ended"));
        registry().complete("ended", success(1));
        registry().register(registration("held"));
        Lease held = registry().claim("held", "ann", LONG);
        assertThat(registry().awaitClaimable(types, now)).isFalse();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> other =
                    threads.submit(() -> registry().awaitClaimable(Set.of("other"), Deadline.after(SHORT)));
            Future<Boolean> told = threads.submit(() -> registry().awaitClaimable(types, Deadline.none()));
            registry().release(held);
            assertThat(told.get()).isTrue();
            assertThat(registry().awaitClaimable(types, now)).isTrue();
            assertThat(other.get()).isFalse();
        }
        assertThatThrownBy(() -> registry().awaitClaimable(Set.of(), now)).isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    default void theEndOfALeaseIsKnownBeforehand() {
        registry().register(registration("p"));
        registry().claim("p", "dead", Duration.ofMillis(300));
        Set<String> types = Set.of(ProcessInput.TOOL_CALL);
        assertThat(registry().awaitClaimable(types, Deadline.none())).isTrue();
        assertThat(registry().claimNext(new ClaimRequest("w", types, 1, LONG))).hasSize(1);
        assertThat(registry().awaitClaimable(types, Deadline.after(SHORT))).isFalse();
    }

    @Test
    default void whatIsRegisteredWithItsLeaseIsOfferedToNoWorkerBeforeItIsReleased() throws Exception {
        Set<String> types = Set.of(ProcessInput.TOOL_CALL);
        ClaimRequest any = new ClaimRequest("worker", types, 9, LONG);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> told = threads.submit(() -> registry().awaitClaimable(types, Deadline.none()));
            Claim claim = registry().registerClaimed(registration("p"), "ann", LONG);
            assertThat(claim.lease().fence()).isEqualTo(1);
            assertThat(claim.process()).isEqualTo(registry().get("p").orElseThrow());
            assertThat(claim.process().attempts()).isEqualTo(1);
            assertThat(registry().claimNext(any)).isEmpty();
            assertThat(registry().awaitClaimable(types, Deadline.after(SHORT))).isFalse();
            registry().append(claim.lease(), note(1));
            registry().release(claim.lease());
            assertThat(told.get()).isTrue();
        }
        assertThat(registry().claimNext(any)).hasSize(1);
        assertThat(registry().get("p").orElseThrow().attempts()).isEqualTo(1);
        await().untilAsserted(
                        () -> assertThat(registry().changes(Optional.empty(), 9).changes())
                                .extracting(Change::kind)
                                .containsExactly(Change.Kind.REGISTERED, Change.Kind.EVENT, Change.Kind.RELEASED));
    }

    @Test
    default void registeringWithALeaseAgainIsAClaim() {
        Claim first = registry().registerClaimed(registration("p"), "ann", LONG);
        Claim again = registry().registerClaimed(registration("p"), "ann", LONG);
        assertThat(again.lease().fence()).isEqualTo(2);
        assertThatThrownBy(() -> registry().renew(first.lease(), LONG)).isInstanceOf(ProcessException.LeaseLost.class);
        assertThatThrownBy(() -> registry().registerClaimed(registration("p"), "bob", LONG))
                .isInstanceOf(ProcessException.AlreadyLeased.class);
        ProcessRegistration other = registration("p").withLeaseRequired(true);
        assertThatThrownBy(() -> registry().registerClaimed(other, "ann", LONG))
                .isInstanceOf(ProcessException.RegistrationConflict.class);
        assertThat(registry().renew(again.lease(), LONG).fence()).isEqualTo(2);
        registry().completeWithLease(again.lease(), success(1));
        assertThat(registry()
                        .registerClaimed(registration("p"), "bob", LONG)
                        .process()
                        .output())
                .contains(success(1));
    }

    @Test
    default void aLeaseThatCannotBeTakenLeavesNoRegistration() {
        assertThatThrownBy(() -> registry().registerClaimed(registration("p"), " ", LONG))
                .isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> registry().registerClaimed(registration("p"), "ann", Duration.ZERO))
                .isInstanceOf(ProcessException.Invalid.class);
        // The store fails at the row, at the change of the feed, or at the lease.
        for (int nth = 1; nth <= 3; nth++) {
            ProcessRegistry failing = failingAtWrite(nth);
            assertThatThrownBy(() -> failing.registerClaimed(registration("p"), "ann", LONG))
                    .isInstanceOf(ProcessException.StoreFailed.class);
            assertThat(registry().get("p")).isEmpty();
        }
        assertThat(registry().changes(Optional.empty(), 9).changes()).isEmpty();
        assertThat(registry()
                        .registerClaimed(registration("p"), "ann", LONG)
                        .lease()
                        .fence())
                .isEqualTo(1);
    }

    @Test
    default void leasesHaveALongestTime() {
        registry().register(registration("p"));
        for (Duration wrong : new Duration[] {
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofSeconds(-1),
            Duration.ofDays(1).plusMillis(1),
            Duration.ofSeconds(Long.MAX_VALUE)
        }) {
            assertThatThrownBy(() -> registry().claim("p", "ann", wrong)).isInstanceOf(ProcessException.Invalid.class);
        }
        registry().claim("p", "ann", ProcessLeases.LONGEST_LEASE);
    }
}
