package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What workers do over any store. */
public abstract class WorkerContract {
    private static final Duration LONG = Duration.ofMinutes(5);

    /** Short enough to wait for its end. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** Long enough to be kept on a busy machine, and short enough to be renewed in a test. */
    private static final Duration KEPT = Duration.ofSeconds(12);

    /** None: a worker does only what it was told to. */
    private static final Duration NET = Duration.ofHours(1);

    private final List<ProcessWorker> workers = new ArrayList<>();

    /** Of the store that is tested. */
    protected abstract ProcessRegistry registry();

    @AfterEach
    void stopWorkers() {
        workers.forEach(ProcessWorker::close);
    }

    private ProcessWorker worker(String owner, int concurrency, ProcessDriver driver) {
        return worker(owner, concurrency, LONG, driver);
    }

    private ProcessWorker worker(String owner, int concurrency, Duration ttl, ProcessDriver driver) {
        ProcessWorker worker = ProcessWorker.start(
                registry(),
                WorkerConfig.of(owner, Set.of(ProcessInput.TOOL_CALL))
                        .withConcurrency(concurrency)
                        .withWindows(ttl, NET, Duration.ofSeconds(20)),
                driver);
        workers.add(worker);
        return worker;
    }

    private AwaitOutput end(String id) {
        return registry().awaitProcess(id, Deadline.after(Duration.ofMinutes(5)));
    }

    private static Optional<AwaitOutput> sleepForEver() throws InterruptedException {
        new CountDownLatch(1).await();
        return Optional.empty();
    }

    @Test
    void everyProcessIsDrivenOnceByOneOfSeveralWorkers() {
        Set<String> driven = ConcurrentHashMap.newKeySet();
        AtomicInteger times = new AtomicInteger();
        ProcessDriver driver = process -> {
            driven.add(process.process().id());
            times.incrementAndGet();
            process.append(note(1));
            return Optional.of(success(1));
        };
        for (int i = 0; i < 60; i++) {
            registry().register(registration("p" + i));
        }
        worker("a", 4, driver);
        worker("b", 4, driver);
        for (int i = 0; i < 60; i++) {
            assertThat(end("p" + i)).isEqualTo(success(1));
        }
        assertThat(driven).hasSize(60);
        assertThat(times).hasValue(60);
    }

    @Test
    void aLeaseIsKeptForLongerThanItLastsByItself() throws Exception {
        CountDownLatch finish = new CountDownLatch(1);
        registry().register(registration("p"));
        worker("a", 1, KEPT, _ -> {
            finish.await();
            return Optional.of(success(2));
        });
        AtomicInteger others = new AtomicInteger();
        await().until(() -> registry().get("p").orElseThrow().attempts() == 1);
        worker("b", 1, _ -> {
            others.incrementAndGet();
            return Optional.empty();
        });
        long until = System.nanoTime() + KEPT.plus(SHORT).toNanos();
        await().until(() -> System.nanoTime() - until > 0);
        finish.countDown();
        assertThat(end("p")).isEqualTo(success(2));
        assertThat(others).hasValue(0);
    }

    @Test
    void whatIsRegisteredLaterIsDrivenWithoutAsking() {
        worker("a", 2, _ -> Optional.of(success(1)));
        for (int i = 0; i < 20; i++) {
            registry().register(registration("p" + i));
            assertThat(end("p" + i)).isEqualTo(success(1));
        }
    }

    @Test
    void whoRegistersWithALeaseKeepsItFromTheWorkersUntilItIsReleased() {
        worker("a", 4, _ -> Optional.of(success(1)));
        for (int i = 0; i < 40; i++) {
            Claim claim = registry().registerClaimed(registration("p" + i), "starter", LONG);
            registry().append(claim.lease(), note(1));
            registry().release(claim.lease());
        }
        for (int i = 0; i < 40; i++) {
            assertThat(end("p" + i)).isEqualTo(success(1));
        }
    }

    @Test
    void whatADeadOwnerHeldIsDrivenWhenItsLeaseEndsWithoutASignal() {
        registry().register(registration("p"));
        registry().register(registration("q"));
        registry().claim("p", "dead", SHORT);
        registry().claim("q", "alive", LONG);
        worker("a", 2, _ -> Optional.of(success(1)));
        assertThat(end("p")).isEqualTo(success(1));
        assertThat(registry().get("q").orElseThrow().status()).isEqualTo(ProcessStatus.RUNNING);
    }

    @Test
    void whatIsGivenBackOrHeldForLessThanBeforeIsDrivenAtOnce() {
        registry().register(registration("p"));
        registry().register(registration("q"));
        Lease released = registry().claim("p", "leaving", LONG);
        Lease shortened = registry().claim("q", "leaving", LONG);
        worker("a", 2, _ -> Optional.of(success(1)));
        registry().release(released);
        assertThat(end("p")).isEqualTo(success(1));
        registry().renew(shortened, Duration.ofMillis(50));
        assertThat(end("q")).isEqualTo(success(1));
    }

    @Test
    void noMoreAreDrivenAtOnceThanThereIsRoomFor() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            registry().register(registration("p" + i));
        }
        worker("a", 3, process -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            process.append(note(1));
            now.decrementAndGet();
            return Optional.of(success(1));
        });
        for (int i = 0; i < 20; i++) {
            end("p" + i);
        }
        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void aDriverIsInterruptedWhenItsLeaseIsTakenAndWritesNoMore() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        registry().register(registration("p"));
        worker("a", 1, KEPT, process -> {
            seen.add("started");
            try {
                return sleepForEver();
            } catch (InterruptedException e) {
                assertThatThrownBy(() -> process.append(note(1))).isInstanceOf(ProcessException.LeaseLost.class);
                seen.add(process.held() ? "still held" : "lost");
                return Optional.of(success(1));
            }
        });
        assertThat(seen.poll(5, TimeUnit.MINUTES)).isEqualTo("started");
        // The same owner elsewhere: its newer self shuts out this one, which finds out at its next renewal.
        Lease taken = registry().claim("p", "a", Duration.ofHours(1));
        assertThat(seen.poll(5, TimeUnit.MINUTES)).isEqualTo("lost");
        assertThat(registry().get("p").orElseThrow().status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(registry().eventsAfter("p", 0, 9)).isEmpty();
        registry().completeWithLease(taken, success(3));
    }

    @Test
    void whatAClosedWorkerDroveIsAtOnceForOthersAndHasLostNoAttempt() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.OwnerBound()));
        BlockingQueue<String> started = new LinkedBlockingQueue<>();
        ProcessWorker first = worker("a", 1, _ -> {
            started.add("a");
            return sleepForEver();
        });
        await().until(() -> !started.isEmpty());
        first.close();
        assertThat(first.busy()).isZero();
        assertThat(registry().get("p").orElseThrow().attempts()).isZero();
        Lease lease = registry().claim("p", "b", LONG);
        assertThat(lease.fence()).isEqualTo(2);
    }

    @Test
    void aDriverThatFailsFailsItsProcess() {
        registry().register(registration("p"));
        worker("a", 1, _ -> {
            throw new IllegalStateException("no idea");
        });
        assertThat(end("p")).isInstanceOfSatisfying(AwaitOutput.Failure.class, failure -> {
            assertThat(failure.failureClass()).isEqualTo(FailureClass.INTERNAL);
            assertThat(failure.code()).isEqualTo("driver_failed");
            assertThat(failure.message()).isEqualTo("no idea");
            assertThat(failure.raw().orElseThrow().text()).contains("java.lang.IllegalStateException");
        });
    }

    @Test
    void whatLosesItsOwnersTooOftenIsAbandoned() {
        registry().register(registration("p").withRecovery(new RecoveryPolicy.Rerunnable(2)));
        for (int i = 1; i <= 2; i++) {
            String lost = "lost" + i;
            await().ignoreExceptionsInstanceOf(ProcessException.AlreadyLeased.class)
                    .until(() ->
                            registry().claim("p", lost, Duration.ofMillis(1)).fence() > 0);
        }
        AtomicInteger driven = new AtomicInteger();
        worker("a", 1, _ -> {
            driven.incrementAndGet();
            return Optional.of(success(1));
        });
        assertThat(end("p"))
                .isEqualTo(new AwaitOutput.Abandoned(AbandonReason.ATTEMPTS_EXHAUSTED, 2, Optional.of("lost2")));
        assertThat(driven).hasValue(0);
    }

    @Test
    void aDriverThatFailsIsTriedAgainAfterAPauseAsOftenAsItsProcessSays() {
        registry()
                .register(registration("p")
                        .withRecovery(new RecoveryPolicy.Retrying(2, Backoff.of(Duration.ofMillis(20)))));
        AtomicInteger driven = new AtomicInteger();
        worker("a", 1, _ -> {
            throw new IllegalStateException("attempt " + driven.incrementAndGet());
        });
        assertThat(end("p"))
                .isInstanceOfSatisfying(
                        AwaitOutput.Failure.class,
                        failure -> assertThat(failure.message()).isEqualTo("attempt 3"));
        assertThat(driven).hasValue(3);
        assertThat(registry().eventsAfter("p", 0, 9))
                .extracting(ProcessEvent::type)
                .containsExactly(EventType.ATTEMPT_FAILED, EventType.ATTEMPT_FAILED, EventType.FAILED);
        assertThat(registry().eventsAfter("p", 0, 1).getFirst().payload().text())
                .contains("attempt 1", "\"owner\":\"a\"", "\"attempt\":1");
    }

    @Test
    void whatIsGivenBackIsNotDrivenAgainBeforeAPauseIsOver() throws Exception {
        BlockingQueue<String> driven = new LinkedBlockingQueue<>();
        registry().register(registration("p"));
        registry().register(registration("q"));
        worker("a", 1, process -> {
            driven.add(process.process().id());
            return process.process().id().equals("p")
                    ? process.later(Duration.ofHours(1), "nothing is there yet")
                    : Optional.of(success(1));
        });
        assertThat(end("q")).isEqualTo(success(1));
        await().until(() -> registry().view("p").orElseThrow().phase() == ProcessPhase.PAUSED);
        assertThat(registry().view("p").orElseThrow().returnedFor()).contains("nothing is there yet");
        // Another turn of the worker, in which it would have been offered.
        registry().register(registration("r"));
        assertThat(end("r")).isEqualTo(success(1));
        assertThat(driven).filteredOn("p"::equals).hasSize(1);
        assertThat(registry().get("p").orElseThrow().attempts()).isZero();
    }

    @Test
    void whatGivesBackWithoutAPauseIsDrivenLaterAndLater() {
        AtomicInteger driven = new AtomicInteger();
        registry().register(registration("p"));
        workers.add(ProcessWorker.start(
                registry(),
                WorkerConfig.of("a", Set.of(ProcessInput.TOOL_CALL))
                        .withWindows(LONG, NET, Duration.ofSeconds(20))
                        .withReturns(new Backoff(Duration.ofMillis(5), Duration.ofHours(1))),
                _ -> {
                    driven.incrementAndGet();
                    return Optional.empty();
                }));
        // The 15th pause is 80 s.
        await().until(() -> driven.get() >= 5);
        assertThat(registry().get("p").orElseThrow().attempts()).isBetween(0, 1);
    }

    @Test
    void aWorkerOfOneKindOfHostDrivesWhatIsForIt() {
        registry()
                .register(ProcessRegistration.of(
                        "arm",
                        new ProcessInput(ProcessInput.TOOL_CALL, Json.NULL),
                        new Provenance(ContractFixture.OWNER, "arm", Optional.empty())));
        registry().register(registration("p"));
        AtomicInteger others = new AtomicInteger();
        workers.add(ProcessWorker.start(
                registry(),
                WorkerConfig.of("a", Set.of(ProcessInput.TOOL_CALL)).withHostProfiles(Set.of("arm")),
                process -> {
                    others.addAndGet(process.process().id().equals("arm") ? 0 : 1);
                    return Optional.of(success(1));
                }));
        assertThat(end("arm")).isEqualTo(success(1));
        assertThat(others).hasValue(0);
        assertThat(registry().claimNext(new ClaimRequest("b", Set.of(ProcessInput.TOOL_CALL), 9, LONG)))
                .hasSize(1);
    }
}
