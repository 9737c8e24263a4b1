package dev.cloche.process;

import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What workers are given, and what is given up. */
public interface RecoveryContract extends ContractFixture {
    Set<String> TYPES = Set.of(ProcessInput.TOOL_CALL);

    private ClaimRequest asks(String owner, int limit, Duration ttl) {
        return new ClaimRequest(owner, TYPES, limit, ttl);
    }

    private List<String> claimed(String owner, int limit) {
        return registry().claimNext(asks(owner, limit, LeaseContract.LONG)).stream()
                .map(claim -> claim.process().id())
                .sorted()
                .toList();
    }

    @Test
    default void workersGetFreeRunningProcessesEachOnce() {
        for (String id : List.of("a", "b", "c", "held", "ended")) {
            registry().register(registration(id));
        }
        registry().claim("held", "somebody", LeaseContract.LONG);
        registry().complete("ended", success(1));
        List<String> first = claimed("w1", 2);
        List<String> second = claimed("w2", 2);
        assertThat(first).hasSize(2);
        assertThat(second).hasSize(1).doesNotContainAnyElementsOf(first);
        assertThat(claimed("w1", 10)).isEmpty();
    }

    @Test
    default void aClaimHasTheProcessAndALeaseThatWorks() {
        registry().register(registration("p"));
        Claim claim = registry().claimNext(asks("w", 1, LeaseContract.LONG)).getFirst();
        assertThat(claim.process().attempts()).isEqualTo(1);
        assertThat(claim.process()).isEqualTo(registry().get("p").orElseThrow());
        assertThat(claim.lease().owner()).isEqualTo("w");
        registry().completeWithLease(claim.lease(), success(1));
    }

    @Test
    default void workersGetTheInputsThatTheyAskFor() {
        registry().register(registration("p"));
        assertThat(registry().claimNext(new ClaimRequest("w", Set.of("x", "y"), 9, LeaseContract.LONG)))
                .isEmpty();
        assertThat(registry()
                        .claimNext(new ClaimRequest("w", Set.of("x", ProcessInput.TOOL_CALL), 9, LeaseContract.LONG)))
                .hasSize(1);
    }

    @Test
    default void whatWasReleasedIsGivenToTheNextAtOnceAndCostsNoAttempt() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.Rerunnable(1)));
        for (int round = 0; round < 3; round++) {
            Claim claim = registry()
                    .claimNext(asks("w" + round, 1, LeaseContract.LONG))
                    .getFirst();
            registry().release(claim.lease());
        }
        assertThat(registry().get("p").orElseThrow().attempts()).isZero();
    }

    @Test
    default void theWorkOfALostOwnerIsRunAgainUntilItsAttemptsAreUsedUp() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.Rerunnable(2)));
        assertThat(registry().claimNext(asks("w1", 1, LeaseContract.SHORT))).hasSize(1);
        await().until(() ->
                registry().claimNext(asks("w2", 1, LeaseContract.SHORT)).size() == 1);
        await().until(() ->
                registry().claimNext(asks("w3", 1, LeaseContract.SHORT)).isEmpty()
                        && registry().get("p").orElseThrow().status().terminal());
        ProcessRecord given = registry().get("p").orElseThrow();
        assertThat(given.status()).isEqualTo(ProcessStatus.ABANDONED);
        assertThat(given.output())
                .contains(new AwaitOutput.Abandoned(AbandonReason.ATTEMPTS_EXHAUSTED, 2, Optional.of("w2")));
        assertThat(registry().eventsAfter("p", 0, 9))
                .extracting(ProcessEvent::type)
                .containsExactly(EventType.ABANDONED);
        assertThat(registry().listNonTerminal(Optional.empty(), 9)).isEmpty();
    }

    @Test
    default void workThatLivedInItsOwnerIsAbandonedWithIt() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.OwnerBound()));
        assertThat(registry().claimNext(asks("w1", 1, LeaseContract.SHORT))).hasSize(1);
        await().until(() ->
                registry().claimNext(asks("w2", 1, LeaseContract.SHORT)).isEmpty()
                        && registry().get("p").orElseThrow().status().terminal());
        assertThat(registry().get("p").orElseThrow().output())
                .contains(new AwaitOutput.Abandoned(AbandonReason.OWNER_LOST, 1, Optional.of("w1")));
    }

    @Test
    default void abandoningOneDoesNotKeepAWorkerFromTheNext() {
        registry().register(registration("a").withRecovery(new RecoveryPolicy.Rerunnable(1)));
        registry().claim("a", "lost", LeaseContract.SHORT);
        registry().register(registration("b"));
        registry().claim("b", "lost", LeaseContract.SHORT);
        await().until(() -> claimed("w", 1).contains("b"));
        await().until(() -> {
            claimed("w", 1);
            return registry().get("a").orElseThrow().status() == ProcessStatus.ABANDONED;
        });
    }

    @Test
    default void whatIsDrivenFromOutsideIsNeitherGivenToWorkersNorAbandoned() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.ExternallyOwned()));
        Lease lease = registry().claim("p", "outside", LeaseContract.SHORT);
        await().untilAsserted(() -> assertThatThrownBy(() -> registry().renew(lease, LeaseContract.SHORT))
                .isInstanceOf(ProcessException.LeaseLost.class));
        assertThat(claimed("w", 9)).isEmpty();
        assertThat(registry().get("p").orElseThrow().status()).isEqualTo(ProcessStatus.RUNNING);
    }

    @Test
    default void anOwnersOwnRotationIsNoAttempt() {
        registry().register(registration("p"));
        for (int i = 0; i < 5; i++) {
            registry().claim("p", "ann", LeaseContract.LONG);
        }
        assertThat(registry().get("p").orElseThrow().attempts()).isEqualTo(1);
    }
}
