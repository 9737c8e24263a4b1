package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The feed of changes. */
public interface FeedContract extends ContractFixture {
    @Test
    default void everythingThatIsCommittedIsInTheFeedInItsOrder() {
        registry().register(registration("p"));
        registry().append("p", note(1));
        registry().setExternalRef("p", new ExternalRef("b", "i", Optional.empty()));
        registry().complete("p", success(1));
        List<Change> expected = List.of(
                Change.of("p", Change.Kind.REGISTERED),
                new Change("p", Change.Kind.EVENT, 1, Optional.of("note")),
                Change.of("p", Change.Kind.EXTERNAL_REF),
                new Change("p", Change.Kind.EVENT, 2, Optional.of(EventType.COMPLETED)));
        await().untilAsserted(() -> assertThat(all(Optional.empty())).isEqualTo(expected));
    }

    @Test
    default void ofLeasesTheFeedHasWhatFreesAProcess() {
        registry().register(registration("p"));
        Lease lease = registry().claim("p", "ann", LeaseContract.LONG);
        registry().renew(lease, LeaseContract.LONG);
        registry().renew(lease, Duration.ofMinutes(1));
        registry().release(lease);
        registry().release(lease);
        registry().completeWithLease(registry().claim("p", "ann", LeaseContract.LONG), success(1));
        List<Change> expected = List.of(
                Change.of("p", Change.Kind.REGISTERED),
                Change.of("p", Change.Kind.RELEASED),
                new Change("p", Change.Kind.EVENT, 1, Optional.of(EventType.COMPLETED)));
        await().untilAsserted(() -> assertThat(all(Optional.empty())).isEqualTo(expected));
    }

    @Test
    default void aReaderThatHasSeenAllSeesThePruneAlsoIfItTakesEventsOutOfTheFeed() {
        registry().register(registration("p"));
        registry().complete("p", success(1));
        await().until(() -> all(Optional.empty()).size() == 2);
        String seen = registry().changes(Optional.empty(), 100).next();
        registry().prune(ProcessPruneRequest.all());
        await().untilAsserted(
                        () -> assertThat(all(Optional.of(seen))).containsExactly(Change.of("p", Change.Kind.PRUNED)));
        assertThat(all(Optional.empty())).isEmpty();
        registry().register(registration("q"));
        await().untilAsserted(() -> assertThat(all(Optional.of(seen))).hasSize(2));
    }

    @Test
    default void aReaderGoesOnWhereItStoppedAndAnEmptyPageMovesNothing() {
        assertThat(registry().changes(Optional.empty(), 1).changes()).isEmpty();
        registry().register(registration("p"));
        for (int i = 0; i < 5; i++) {
            registry().append("p", note(i));
        }
        await().until(() -> all(Optional.empty()).size() == 6);
        ChangePage first = registry().changes(Optional.empty(), 4);
        assertThat(first.changes()).hasSize(4);
        ChangePage second = registry().changes(Optional.of(first.next()), 4);
        assertThat(second.changes()).extracting(Change::sequence).containsExactly(4L, 5L);
        ChangePage third = registry().changes(Optional.of(second.next()), 4);
        assertThat(third.changes()).isEmpty();
        registry().append("p", note(9));
        await().untilAsserted(() -> assertThat(
                        registry().changes(Optional.of(third.next()), 4).changes())
                .extracting(Change::sequence)
                .containsExactly(6L));
        assertThatThrownBy(() -> registry().changes(Optional.of("no cursor"), 4))
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    default void aReaderMissesNothingOfManyWritersAndSeesEachProcessInItsOrder() throws Exception {
        int writers = 8;
        int events = 40;
        List<Change> seen = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writing = new ArrayList<>();
            for (int w = 0; w < writers; w++) {
                String id = "p" + w;
                writing.add(threads.submit(() -> {
                    registry().register(registration(id));
                    for (int i = 0; i < events; i++) {
                        registry().append(id, note(i));
                    }
                }));
            }
            Future<?> reading = threads.submit(() -> {
                Optional<String> cursor = Optional.empty();
                while (seen.size() < writers * (events + 1)
                        && !Thread.currentThread().isInterrupted()) {
                    ChangePage page = registry().changes(cursor, 7);
                    seen.addAll(page.changes());
                    cursor = Optional.of(page.next());
                }
            });
            try {
                for (Future<?> each : writing) {
                    each.get();
                }
            } catch (ExecutionException failed) {
                // What the reader waits for does not come.
                reading.cancel(true);
                throw failed;
            }
            reading.get();
        }
        Map<String, Long> last = new HashMap<>();
        for (Change change : seen) {
            long expected = last.merge(change.processId(), 1L, Long::sum) - 1;
            assertThat(change.sequence()).as(change.processId()).isEqualTo(expected);
        }
        assertThat(last).hasSize(writers);
    }

    private List<Change> all(Optional<String> from) {
        return registry().changes(from, 100).changes();
    }
}
