package dev.cloche.process;

import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.note;
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

/** What an operator asks, and the pauses that it sees. */
public interface OperatorContract extends ContractFixture {
    Backoff HOURS = new Backoff(Duration.ofHours(1), Duration.ofHours(3));

    private ProcessView view(String id) {
        return registry().view(id).orElseThrow();
    }

    private List<String> ids(ProcessQuery query) {
        return registry().list(query).stream().map(ProcessRecord::id).toList();
    }

    private List<Claim> offered() {
        return registry().claimNext(new ClaimRequest("w", Set.of(ProcessInput.TOOL_CALL), 9, LeaseContract.LONG));
    }

    @Test
    default void whoDrivesAProcessSinceWhenAndUntilWhenIsKnown() {
        registry().register(registration("p"));
        assertThat(registry().view("none")).isEmpty();
        assertThat(view("p").phase()).isEqualTo(ProcessPhase.CLAIMABLE);
        assertThat(view("p").startedAt()).isEmpty();
        Lease lease = registry().claim("p", "ann", LeaseContract.LONG);
        ProcessView driven = view("p");
        assertThat(driven.phase()).isEqualTo(ProcessPhase.DRIVEN);
        ProcessView.Holder holder = driven.holder().orElseThrow();
        assertThat(holder.owner()).isEqualTo("ann");
        assertThat(holder.fence()).isEqualTo(lease.fence());
        assertThat(holder.since()).isEqualTo(lease.claimedAt());
        assertThat(Duration.between(lease.expiresAt(), holder.until()).abs()).isLessThan(Duration.ofMinutes(1));
        assertThat(driven.startedAt()).contains(lease.claimedAt());
        registry().release(lease);
        registry().completeWithLease(registry().claim("p", "bob", LeaseContract.LONG), success(1));
        assertThat(view("p").phase()).isEqualTo(ProcessPhase.ENDED);
        assertThat(view("p").holder()).isEmpty();
        assertThat(view("p").startedAt()).as("the first start").contains(lease.claimedAt());
    }

    @Test
    default void whoWasLostIsKnownWhileNothingHasTakenItOverAndAfterwards() {
        registry().register(registration("p"));
        registry().register(registration("outside").withRecovery(new RecoveryPolicy.ExternallyOwned()));
        registry().claim("p", "ann", LeaseContract.SHORT);
        await().until(() -> view("p").phase() == ProcessPhase.LOST);
        assertThat(view("p").lostOwner()).contains("ann");
        registry().claim("p", "bob", LeaseContract.LONG);
        assertThat(view("p").holder().orElseThrow().owner()).isEqualTo("bob");
        assertThat(view("p").lostOwner()).contains("ann");
        assertThat(view("outside").phase()).isEqualTo(ProcessPhase.EXTERNAL);
    }

    @Test
    default void processesAreFoundByStatusTypeSessionAgeAndText() {
        registry().register(registration("a"));
        registry().register(registration("b"));
        registry()
                .register(ProcessRegistration.of(
                        "c",
                        new ProcessInput("turn", Json.parse("{\"for\":\"Zebras\"}")),
                        Provenance.of(SessionScope.of("other"))));
        registry().complete("b", failure("x"));
        ProcessQuery all = ProcessQuery.all();
        assertThat(ids(all)).containsExactly("a", "b", "c");
        assertThat(ids(all.withStatuses(Set.of(ProcessStatus.FAILED, ProcessStatus.ABANDONED))))
                .containsExactly("b");
        assertThat(ids(all.withStatuses(Set.of(ProcessStatus.RUNNING)))).containsExactly("a", "c");
        assertThat(ids(all.withInputTypes(Set.of("turn", "x")))).containsExactly("c");
        assertThat(ids(all.withSession("owner"))).containsExactly("a", "b");
        assertThat(ids(all.withSession("owner").withLimit(1))).containsExactly("a");
        assertThat(ids(all.withSession("owner").withLimit(1).after("a"))).containsExactly("b");
        assertThat(ids(all.withText("zEBRA"))).containsExactly("c");
        assertThat(ids(all.withOlderThan(Duration.ofDays(1)))).isEmpty();
        assertThat(ids(all.withYoungerThan(Duration.ofDays(1)))).hasSize(3);
        assertThat(registry().counts(all))
                .containsExactly(
                        new ProcessCount(ProcessInput.TOOL_CALL, ProcessStatus.FAILED, 1),
                        new ProcessCount(ProcessInput.TOOL_CALL, ProcessStatus.RUNNING, 1),
                        new ProcessCount("turn", ProcessStatus.RUNNING, 1));
        assertThat(registry().counts(all.withSession("owner")))
                .containsExactly(
                        new ProcessCount(ProcessInput.TOOL_CALL, ProcessStatus.FAILED, 1),
                        new ProcessCount(ProcessInput.TOOL_CALL, ProcessStatus.RUNNING, 1));
    }

    @Test
    default void whatIsReleasedWithAPauseIsOfferedToNoWorkerBeforeItIsOver() {
        registry().register(registration("p"));
        registry().release(registry().claim("p", "ann", LeaseContract.LONG), HOURS, "no disk\nleft");
        assertThat(offered()).isEmpty();
        ProcessView paused = view("p");
        assertThat(paused.phase()).isEqualTo(ProcessPhase.PAUSED);
        assertThat(paused.returnedFor()).contains("no disk left");
        assertThat(paused.process().attempts()).isZero();
        // By its id it can be had, and the next pause is longer.
        registry().release(registry().claim("p", "ann", LeaseContract.LONG), HOURS, "again");
        assertThat(Duration.between(
                        paused.pausedUntil().orElseThrow(),
                        view("p").pausedUntil().orElseThrow()))
                .isGreaterThan(Duration.ofMinutes(30));
        Lease holder = registry().claim("p", "ann", LeaseContract.LONG);
        registry().append(holder, note(1));
        registry().release(holder, Backoff.of(Duration.ofMillis(1)), "after progress");
        await().until(() -> !offered().isEmpty());
    }

    @Test
    default void aFailedAttemptIsTriedAgainAsOftenAsTheRegistrationSays() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.Retrying(1, HOURS)));
        assertThat(registry().get("p").orElseThrow().registration().recovery())
                .isEqualTo(new RecoveryPolicy.Retrying(1, HOURS));
        Lease first = registry().claim("p", "ann", LeaseContract.LONG);
        AwaitOutput.Failure failed =
                new AwaitOutput.Failure(FailureClass.INTERNAL, "driver_failed", "disk \u0000 full", Optional.empty());
        assertThat(registry().attemptFailed(first, failed)).isTrue();
        assertThat(registry().attemptFailed(first, failed)).as("repeated").isTrue();
        assertThat(view("p").phase()).isEqualTo(ProcessPhase.PAUSED);
        assertThat(view("p").process().attempts()).isEqualTo(1);
        assertThat(offered()).isEmpty();
        Lease second = registry().claim("p", "bob", LeaseContract.LONG);
        assertThatThrownBy(() -> registry().append(first, note(1))).isInstanceOf(ProcessException.LeaseLost.class);
        assertThat(registry().attemptFailed(second, failed)).isFalse();
        assertThat(registry().get("p").orElseThrow().output()).contains(failed);
        assertThat(registry().eventsAfter("p", 0, 9))
                .extracting(ProcessEvent::type)
                .containsExactly(EventType.ATTEMPT_FAILED, EventType.FAILED);
        assertThatThrownBy(() -> registry().register(registration("own", EventType.plain(EventType.ATTEMPT_FAILED))))
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    default void aFailedAttemptOfWhatIsNotRetriedEndsIt() {
        registry().register(registration("p"));
        AwaitOutput.Failure failed = (AwaitOutput.Failure) failure("x");
        assertThat(registry().attemptFailed(registry().claim("p", "ann", LeaseContract.LONG), failed))
                .isFalse();
        assertThat(registry().get("p").orElseThrow().output()).contains(failed);
    }
}
