package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiting for what others commit. */
public interface WaitContract extends ContractFixture {
    private static Deadline patience() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    @Test
    default void whatIsThereIsReturnedAtOnce() {
        registry().register(registration("p"));
        registry().append("p", note(1));
        registry().append("p", note(2));
        registry().complete("p", success(1));
        Deadline passed = Deadline.after(Duration.ZERO);
        assertThat(registry().awaitEventAfter("p", "note", 1, passed).sequence())
                .isEqualTo(2);
        assertThat(registry().awaitEventsAfter("p", 1, 9, passed)).hasSize(2);
        assertThat(registry().awaitProcess("p", passed)).isEqualTo(success(1));
    }

    @Test
    default void aWaitEndsWithTheEventThatItIsForAndNoOther() throws Exception {
        registry().register(registration("p"));
        registry().append("p", note(0));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<ProcessEvent> event = threads.submit(() -> registry().awaitEventAfter("p", "note", 1, patience()));
            Future<AwaitOutput> end = threads.submit(() -> registry().awaitProcess("p", patience()));
            Future<List<ProcessEvent>> any = threads.submit(() -> registry().awaitEventsAfter("p", 1, 9, patience()));
            registry().append("p", said("something else").withWakeTarget(OWNER));
            assertThat(any.get(5, TimeUnit.MINUTES)).isNotEmpty();
            registry().append("p", note(1));
            assertThat(event.get(5, TimeUnit.MINUTES).sequence()).isEqualTo(3);
            registry().complete("p", success(1));
            assertThat(end.get(5, TimeUnit.MINUTES)).isEqualTo(success(1));
        }
    }

    @Test
    default void aWaitMissesNoCommitHoweverTheyMeet() throws Exception {
        registry().register(registration("p"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Long> reader = threads.submit(() -> {
                long seen = 0;
                while (seen < 300) {
                    seen = registry()
                            .awaitEventsAfter("p", seen, 10, patience())
                            .getLast()
                            .sequence();
                }
                return seen;
            });
            for (int i = 0; i < 300; i++) {
                registry().append("p", note(i));
            }
            assertThat(reader.get(5, TimeUnit.MINUTES)).isEqualTo(300);
        }
    }

    @Test
    default void manyWaitersAreAllServed() throws Exception {
        registry().register(registration("p"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<AwaitOutput>> waits = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                waits.add(threads.submit(() -> registry().awaitProcess("p", patience())));
            }
            registry().complete("p", success(1));
            for (Future<AwaitOutput> wait : waits) {
                assertThat(wait.get(5, TimeUnit.MINUTES)).isEqualTo(success(1));
            }
        }
    }

    @Test
    default void aWaitEndsWithItsDeadlineItsThreadItsProcessAndItsRegistry() throws Exception {
        registry().register(registration("p"));
        registry().register(registration("gone"));
        assertThatThrownBy(() -> registry().awaitProcess("p", Deadline.after(Duration.ofMillis(5))))
                .isInstanceOf(ProcessException.TimedOut.class);
        assertThatThrownBy(() -> registry().awaitEventAfter("p", "undeclared", 0, patience()))
                .isInstanceOf(ProcessException.UndeclaredType.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> registry().awaitProcess("p", patience()))
                .isInstanceOf(ProcessException.Interrupted.class);
        assertThat(Thread.interrupted()).isTrue();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> pruned = threads.submit(() -> registry().awaitEventAfter("gone", "note", 0, patience()));
            registry().complete("gone", success(1));
            registry().prune(ProcessPruneRequest.all());
            assertThatThrownBy(() -> pruned.get(5, TimeUnit.MINUTES))
                    .hasCauseInstanceOf(ProcessException.Unknown.class);
            Future<?> closed = threads.submit(() -> registry().awaitProcess("p", patience()));
            registry().close();
            assertThatThrownBy(() -> closed.get(5, TimeUnit.MINUTES)).hasCauseInstanceOf(ProcessException.Closed.class);
        }
    }

    @Test
    default void aWaitIsEndedByWhatAnotherRegistryCommits() throws Exception {
        ProcessRegistry other = another();
        registry().register(registration("p"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Long> reader = threads.submit(() -> {
                long seen = 0;
                while (seen < 50) {
                    seen = registry()
                            .awaitEventsAfter("p", seen, 10, patience())
                            .getLast()
                            .sequence();
                }
                return seen;
            });
            for (int i = 0; i < 50; i++) {
                other.append("p", note(i));
            }
            assertThat(reader.get(5, TimeUnit.MINUTES)).isEqualTo(50);
            Future<AwaitOutput> end = threads.submit(() -> registry().awaitProcess("p", patience()));
            other.complete("p", success(1));
            assertThat(end.get(5, TimeUnit.MINUTES)).isEqualTo(success(1));
        }
        assertThat(other.eventsAfter("p", 50, 9)).hasSize(1);
        assertThat(other.get("p")).isEqualTo(registry().get("p")).isNotEqualTo(Optional.empty());
    }
}
