package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.process.EventType.TerminalRule;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An id that is pruned and registered anew: what one life had must not be taken for what the next one has. */
public interface ReusedIdContract extends ContractFixture {
    private static Deadline patience() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    /** A type that ends a process with its whole payload. */
    EventType DONE = new EventType(
            "done",
            Optional.empty(),
            Optional.of(new TerminalRule(ProcessStatus.COMPLETED, Optional.empty())),
            Optional.empty());

    private void endAndPrune(String id) {
        registry().complete(id, success(1));
        assertThat(registry().prune(ProcessPruneRequest.all())).contains(id);
    }

    @Test
    default void aWaitGoesByTheDeclarationOfTheLifeThatItFinds() {
        registry().register(registration("p"));
        registry().append("p", note(1));
        endAndPrune("p");
        registry().register(registration("p", EventType.plain("other"), DONE));
        assertThatThrownBy(() -> registry().awaitEventAfter("p", "other", 0, Deadline.after(Duration.ofMillis(1))))
                .isInstanceOf(ProcessException.TimedOut.class);
        assertThatThrownBy(() -> registry().awaitEventAfter("p", "note", 0, patience()))
                .isInstanceOf(ProcessException.UndeclaredType.class);
    }

    @Test
    default void whoAwaitsTheEndIsToldOfItAlsoInALifeWithOtherTypes() throws Exception {
        registry().register(registration("p"));
        registry().append("p", note(1));
        endAndPrune("p");
        registry().register(registration("p", DONE));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Thread[] waiting = new Thread[1];
            CountDownLatch begun = new CountDownLatch(1);
            Future<AwaitOutput> end = threads.submit(() -> {
                waiting[0] = Thread.currentThread();
                begun.countDown();
                return registry().awaitProcess("p", patience());
            });
            begun.await();
            // So that it is an append of this program that has to wake it.
            await().until(() -> waiting[0].getState() == Thread.State.TIMED_WAITING);
            registry().append("p", EventAppend.of("done", Json.of(5)).withReplayKey("k"));
            assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo(success(5));
        }
    }

    @Test
    default void aWaitThatSpansAPruneIsForItsOwnLifeAlone() throws Exception {
        checkWaitsOverAPrune(registry());
    }

    @Test
    default void aWaitOfAnotherProgramThatSpansAPruneIsForItsOwnLifeAlone() throws Exception {
        checkWaitsOverAPrune(another());
    }

    private void checkWaitsOverAPrune(ProcessRegistry waiting) throws Exception {
        for (int round = 0; round < 5; round++) {
            String id = "p" + round;
            registry().register(registration(id));
            registry().append(id, note(1));
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                Future<ProcessEvent> event = begin(threads, () -> waiting.awaitEventAfter(id, "note", 1, patience()));
                Future<List<ProcessEvent>> events =
                        begin(threads, () -> waiting.awaitEventsAfter(id, 2, 9, patience()));
                Future<AwaitOutput> end = begin(threads, () -> waiting.awaitProcess(id, patience()));
                endAndPrune(id);
                if (round > 0) {
                    registry().register(registration(id, EventType.plain("note"), DONE));
                    registry().append(id, note(2));
                    registry().append(id, EventAppend.of("done", Json.of(5)).withReplayKey("k"));
                }
                assertThatThrownBy(() -> event.get(5, TimeUnit.MINUTES))
                        .hasCauseInstanceOf(ProcessException.Unknown.class);
                assertThatThrownBy(() -> events.get(5, TimeUnit.MINUTES))
                        .hasCauseInstanceOf(ProcessException.Unknown.class);
                // It may be told of the end before the prune, or not.
                try {
                    assertThat(end.get(5, TimeUnit.MINUTES)).isEqualTo(success(1));
                } catch (ExecutionException pruned) {
                    assertThat(pruned).hasCauseInstanceOf(ProcessException.Unknown.class);
                }
            }
        }
    }

    /** Returns when the call has looked and waits for what others commit. */
    private static <T> Future<T> begin(ExecutorService threads, Callable<T> call) {
        AtomicReference<Thread> waiting = new AtomicReference<>();
        Future<T> result = threads.submit(() -> {
            waiting.set(Thread.currentThread());
            return call.call();
        });
        await().until(() -> isWaiting(waiting.get()));
        return result;
    }

    private static boolean isWaiting(@Nullable Thread thread) {
        return thread != null
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame ->
                                frame.getClassName().equals("dev.cloche.process.registry.CommitWaiters$Waiter"));
    }

    @Test
    default void wakesOfTwoLivesAreTwoAndALateAcknowledgementTakesNothing() {
        registry().register(registration("p"));
        WakeDelivery first =
                registry().append("p", said("old").withWakeTarget(OWNER)).wake().orElseThrow();
        registry().ackWake("p", first.sequence());
        endAndPrune("p");
        registry().register(registration("p"));
        WakeDelivery second =
                registry().append("p", said("new").withWakeTarget(OWNER)).wake().orElseThrow();
        assertThat(second.wakeId()).isNotEqualTo(first.wakeId());
        registry().ackWake("p", first.sequence());
        assertThat(registry().pendingWakes(OWNER.session(), Optional.empty(), 9))
                .containsExactly(second);
    }
}
