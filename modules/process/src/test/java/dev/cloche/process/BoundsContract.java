package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is kept of processes that are gone has an upper bound, and what is forgotten is never taken for nothing. */
public interface BoundsContract extends ContractFixture {
    private static List<Change> all(ProcessRegistry registry, Optional<String> after) {
        return registry.changes(after, 100).changes();
    }

    private static void liveAndGo(ProcessRegistry registry, String id) {
        registry.register(registration(id));
        registry.append(id, note(1));
        registry.release(registry.claim(id, "ann", LeaseContract.LONG));
        registry.completeWithLease(registry.claim(id, "ann", LeaseContract.LONG), success(1));
        assertThat(registry.prune(ProcessPruneRequest.all())).containsExactly(id);
    }

    @Test
    default void ofAProcessTheFeedHasItsEventsAndTheLatestOfEverythingElse() {
        registry().register(registration("p"));
        for (int round = 0; round < 5; round++) {
            registry().release(registry().claim("p", "ann", LeaseContract.LONG));
            registry().setExternalRef("p", new ExternalRef("b", "i" + round, Optional.empty()));
        }
        registry().append("p", note(1));
        List<Change> expected = List.of(
                Change.of("p", Change.Kind.REGISTERED),
                Change.of("p", Change.Kind.RELEASED),
                Change.of("p", Change.Kind.EXTERNAL_REF),
                new Change("p", Change.Kind.EVENT, 1, Optional.of("note")));
        await().untilAsserted(
                        () -> assertThat(all(registry(), Optional.empty())).isEqualTo(expected));
    }

    @Test
    default void whoBeginsToReadTheFeedIsToldNothingOfWhatIsGone() {
        registry().register(registration("a"));
        liveAndGo(registry(), "p");
        registry().register(registration("z"));
        await().untilAsserted(() -> assertThat(all(registry(), Optional.empty()))
                .containsExactly(Change.of("a", Change.Kind.REGISTERED), Change.of("z", Change.Kind.REGISTERED)));
        ChangePage first = registry().changes(Optional.empty(), 1);
        assertThat(first.changes()).containsExactly(Change.of("a", Change.Kind.REGISTERED));
        registry().complete("a", success(1));
        registry().prune(ProcessPruneRequest.all());
        // It has seen this one, and so is told.
        await().untilAsserted(() -> assertThat(all(registry(), Optional.of(first.next())))
                .containsExactly(Change.of("z", Change.Kind.REGISTERED), Change.of("a", Change.Kind.PRUNED)));
    }

    @Test
    default void aCursorBehindWhichPrunesAreForgottenIsRefusedAndABeginningIsNot() {
        ProcessRegistry forgetful = remembering(2);
        forgetful.register(registration("stays"));
        await().until(() -> all(forgetful, Optional.empty()).size() == 1);
        String early = forgetful.changes(Optional.empty(), 9).next();
        for (int i = 0; i < 2; i++) {
            liveAndGo(forgetful, "p" + i);
        }
        await().untilAsserted(() -> assertThat(all(forgetful, Optional.of(early)))
                .containsExactly(Change.of("p0", Change.Kind.PRUNED), Change.of("p1", Change.Kind.PRUNED)));
        String late = forgetful.changes(Optional.of(early), 9).next();
        for (int i = 2; i < 4; i++) {
            liveAndGo(forgetful, "p" + i);
        }
        // What is not settled yet is not forgotten; so prune until it is.
        await().untilAsserted(() -> {
            forgetful.prune(ProcessPruneRequest.all());
            assertThatThrownBy(() -> forgetful.changes(Optional.of(early), 9))
                    .isInstanceOf(ProcessException.FeedForgotten.class)
                    .hasMessageContaining("forgotten");
        });
        await().untilAsserted(() -> {
            assertThat(all(forgetful, Optional.of(late)))
                    .containsExactly(Change.of("p2", Change.Kind.PRUNED), Change.of("p3", Change.Kind.PRUNED));
            assertThat(all(forgetful, Optional.empty())).containsExactly(Change.of("stays", Change.Kind.REGISTERED));
        });
    }

    @Test
    default void fencesAndSequencesGoOnRisingAlsoWhenATombstoneIsForgotten() {
        ProcessRegistry forgetful = remembering(1);
        forgetful.register(registration("p"));
        Lease old = forgetful.claim("p", "ann", LeaseContract.LONG);
        WakeDelivery wake =
                forgetful.append("p", said("old").withWakeTarget(OWNER)).wake().orElseThrow();
        forgetful.ackWake("p", wake.sequence());
        forgetful.completeWithLease(old, success(1));
        assertThat(forgetful.prune(ProcessPruneRequest.all())).containsExactly("p");
        for (int i = 0; i < 3; i++) {
            liveAndGo(forgetful, "q" + i);
        }
        assertThatThrownBy(() -> forgetful.eventsAfter("p", 0, 1))
                .isInstanceOf(ProcessException.Unknown.class)
                .hasMessageNotContaining("pruned at");
        ProcessRecord again = forgetful.register(registration("p"));
        assertThat(again.events()).isZero();
        assertThat(forgetful.claim("p", "ann", LeaseContract.LONG).fence()).isGreaterThan(old.fence());
        WakeDelivery next =
                forgetful.append("p", said("new").withWakeTarget(OWNER)).wake().orElseThrow();
        assertThat(next.wakeId()).isNotEqualTo(wake.wakeId());
        assertThat(next.sequence()).isGreaterThan(wake.sequence());
        assertThat(forgetful.eventsAfter("p", 0, 9)).hasSize(1);
        assertThat(forgetful.get("p").orElseThrow().events()).isEqualTo(1);
    }
}
