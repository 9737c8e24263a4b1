package dev.cloche.process;

import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Many callers at once. */
public interface ConcurrencyContract extends ContractFixture {
    /** A holder of the lease writes once in so many times. */
    int WRITES_EACH = 5;

    /** Runs all at once and returns their results; failures count as errors of the test. */
    private static <T> List<T> together(List<Callable<T>> calls) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> running = new ArrayList<>();
            for (Callable<T> call : calls) {
                running.add(threads.submit(() -> {
                    start.await();
                    return call.call();
                }));
            }
            start.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                results.add(each.get());
            }
            return results;
        }
    }

    private static <T> List<T> together(int times, Callable<T> call) throws Exception {
        List<Callable<T>> calls = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            calls.add(call);
        }
        return together(calls);
    }

    @Test
    default void identicalRegistrationsAtOnceAllSucceedAndLeaveOne() throws Exception {
        List<ProcessRecord> records = together(32, () -> registry().register(registration("p")));
        assertThat(Set.copyOf(records)).hasSize(1);
        assertThat(registry().changes(Optional.empty(), 9).changes()).hasSize(1);
    }

    @Test
    default void oneOfManyThatRegisterWithALeaseAtOnceGetsIt() throws Exception {
        for (int round = 0; round < 10; round++) {
            String id = "p" + round;
            List<Callable<Optional<Claim>>> calls = new ArrayList<>();
            for (int caller = 0; caller < 8; caller++) {
                String owner = "owner-" + caller;
                calls.add(() -> {
                    try {
                        return Optional.of(registry().registerClaimed(registration(id), owner, LeaseContract.LONG));
                    } catch (ProcessException.AlreadyLeased lost) {
                        return Optional.empty();
                    }
                });
            }
            List<Claim> claims =
                    together(calls).stream().flatMap(Optional::stream).toList();
            assertThat(claims).hasSize(1);
            registry().completeWithLease(claims.getFirst().lease(), success(1));
        }
    }

    @Test
    default void appendsAtOnceAreNumberedWithoutGapsInTheOrderOfTheirReturn() throws Exception {
        registry().register(registration("p"));
        List<AppendResult> all = together(200, () -> registry().append("p", note(1)));
        List<Long> expected = LongStream.rangeClosed(1, 200).boxed().toList();
        assertThat(all)
                .extracting(appended -> appended.event().sequence())
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(registry().eventsAfter("p", 0, 500))
                .extracting(ProcessEvent::sequence)
                .isEqualTo(expected);
    }

    @Test
    default void appendsOfOneReplayKeyAtOnceLeaveOneEvent() throws Exception {
        registry().register(registration("p"));
        List<AppendResult> all = together(32, () -> registry().append("p", note(1).withReplayKey("k")));
        assertThat(all).filteredOn(appended -> !appended.replayed()).hasSize(1);
        assertThat(all)
                .extracting(AppendResult::event)
                .containsOnly(all.getFirst().event());
        assertThat(registry().eventsAfter("p", 0, 9)).hasSize(1);
    }

    @Test
    default void appendsOfManyReplayKeysAtOnceAreAnsweredEachByTheEventOfItsKey() throws Exception {
        registry().register(registration("p"));
        registry().register(registration("q"));
        Map<String, EventAppend> first = new LinkedHashMap<>();
        for (int i = 0; i < 12; i++) {
            EventAppend append = i % 2 == 0 ? note(i) : said("s" + i).withWakeTarget(OWNER);
            first.put("k" + i, append.withReplayKey("k" + i));
        }
        Map<String, AppendResult> old = new HashMap<>();
        first.forEach((key, append) -> {
            var _ = registry().append("q", note(7).withReplayKey(key));
            if (old.size() < 6) {
                old.put(key, registry().append("p", append));
            }
        });
        List<Callable<Optional<AppendResult>>> calls = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            first.values()
                    .forEach(append -> calls.add(() -> Optional.of(registry().append("p", append))));
            old.keySet()
                    .forEach(key -> calls.add(() -> {
                        assertThatThrownBy(() -> registry().append("p", note(99).withReplayKey(key)))
                                .isInstanceOf(ProcessException.ReplayConflict.class);
                        return Optional.empty();
                    }));
        }
        List<AppendResult> all =
                together(calls).stream().flatMap(Optional::stream).toList();

        List<ProcessEvent> log = registry().eventsAfter("p", 0, 99);
        assertThat(log).hasSize(12);
        assertThat(all)
                .hasSize(8 * 12)
                .filteredOn(appended -> !appended.replayed())
                .hasSize(6);
        assertThat(log)
                .extracting(ProcessEvent::payload)
                .containsExactlyInAnyOrderElementsOf(
                        first.values().stream().map(EventAppend::payload).toList());
        for (ProcessEvent event : log) {
            String key = event.replayKey().orElseThrow();
            List<AppendResult> answers =
                    all.stream().filter(each -> each.event().equals(event)).toList();
            assertThat(answers).as(key).hasSize(8);
            assertThat(answers.stream().map(AppendResult::wake).distinct())
                    .as("each answer has the same wake")
                    .hasSize(1);
            assertThat(answers.getFirst().wake().isPresent())
                    .isEqualTo(event.type().equals(WAKING.name()));
            AppendResult earlier = old.get(key);
            if (earlier != null) {
                assertThat(answers).allMatch(AppendResult::replayed);
                assertThat(answers.getFirst().event()).isEqualTo(earlier.event());
                assertThat(answers.getFirst().wake()).isEqualTo(earlier.wake());
            }
        }
    }

    @Test
    default void ofTwoThatEndAProcessDifferentlyOneWinsAndTheOtherIsTold() throws Exception {
        for (int round = 0; round < 20; round++) {
            String id = "p" + round;
            registry().register(registration(id));
            List<Optional<AwaitOutput>> outcomes = together(List.of(
                    () -> attempt(id, success(1)), () -> attempt(id, failure("x")), () -> attempt(id, success(2))));
            List<AwaitOutput> winners =
                    outcomes.stream().flatMap(Optional::stream).toList();
            assertThat(winners).hasSize(1);
            assertThat(registry().get(id).orElseThrow().output()).contains(winners.getFirst());
            assertThat(registry().eventsAfter(id, 0, 9)).hasSize(1);
        }
    }

    private Optional<AwaitOutput> attempt(String id, AwaitOutput output) {
        try {
            registry().complete(id, output);
            return Optional.of(output);
        } catch (ProcessException.AlreadyTerminal | ProcessException.ReplayConflict lost) {
            return Optional.empty();
        }
    }

    @Test
    default void claimersOfOneLeaseHoldItOneAtATimeWithRisingFencesOverThousandsOfRounds() throws Exception {
        registry().register(registration("p"));
        int rounds = 500;
        AtomicReference<String> holder = new AtomicReference<>("nobody");
        List<Callable<List<Long>>> claimers = new ArrayList<>();
        for (String owner : List.of("a", "b", "c", "d")) {
            claimers.add(() -> hold(owner, rounds, holder));
        }
        List<List<Long>> fences = together(claimers);
        Set<Long> all = new HashSet<>();
        for (List<Long> each : fences) {
            assertThat(each).isSorted().doesNotHaveDuplicates();
            all.addAll(each);
        }
        assertThat(all).hasSize(4 * rounds);
        // What was written has the fence of its writer, in order.
        List<Long> written = registry().eventsAfter("p", 0, 4 * rounds).stream()
                .map(event -> Long.parseLong(event.payload().text()))
                .toList();
        assertThat(written).hasSize(4 * rounds / WRITES_EACH).isSorted();
    }

    private List<Long> hold(String owner, int rounds, AtomicReference<String> holder) {
        List<Long> fences = new ArrayList<>();
        while (fences.size() < rounds) {
            try {
                Lease lease = registry().claim("p", owner, Duration.ofMinutes(10));
                assertThat(holder.compareAndSet("nobody", owner)).isTrue();
                fences.add(lease.fence());
                if (fences.size() % WRITES_EACH == 0) {
                    registry().append(lease, note(lease.fence()));
                }
                assertThat(holder.compareAndSet(owner, "nobody")).isTrue();
                registry().release(lease);
            } catch (ProcessException.AlreadyLeased busy) {
                assertThat(registry().awaitClaimable(Set.of(ProcessInput.TOOL_CALL), Deadline.none()))
                        .isTrue();
            }
        }
        return fences;
    }

    @Test
    default void whatIsRefusedMidwayTakesNothingOfTheOthersWithIt() throws Exception {
        SessionScope from = SessionScope.of("from");
        SessionScope to = SessionScope.of("to");
        for (String id : List.of("a", "b", "log")) {
            registry().register(registration(id));
        }
        registry().grant(from, "a", HandleDescriptor.NONE);
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            long number = i;
            calls.add(() -> registry().append("log", note(number)).event().sequence() > 0);
            calls.add(() -> {
                try {
                    registry().transfer(from, to, List.of("a", "b"));
                    return false;
                } catch (ProcessException.NotGranted expected) {
                    return true;
                }
            });
        }
        assertThat(together(calls)).containsOnly(true);
        assertThat(registry().eventsAfter("log", 0, 500)).hasSize(100);
        assertThat(registry().hasGrant(from, "a")).isTrue();
        assertThat(registry().hasGrant(to, "a")).isFalse();
    }

    @Test
    default void workersAtOnceNeverGetTheSameProcess() throws Exception {
        for (int i = 0; i < 100; i++) {
            registry().register(registration("p" + i));
        }
        List<List<Claim>> all = together(8, () -> {
            List<Claim> mine = new ArrayList<>();
            List<Claim> batch;
            do {
                batch = registry()
                        .claimNext(new ClaimRequest(
                                Thread.currentThread().toString(),
                                Set.of(ProcessInput.TOOL_CALL),
                                5,
                                LeaseContract.LONG));
                mine.addAll(batch);
            } while (!batch.isEmpty());
            return mine;
        });
        List<String> ids = all.stream()
                .flatMap(List::stream)
                .map(claim -> claim.process().id())
                .toList();
        assertThat(ids).doesNotHaveDuplicates();
        // A store may leave out what another worker has locked at the moment, so some may be left for the next look.
        int left = registry()
                .claimNext(new ClaimRequest("last", Set.of(ProcessInput.TOOL_CALL), 100, LeaseContract.LONG))
                .size();
        assertThat(ids.size() + left).isEqualTo(100);
    }

    @Test
    default void callersOfOneProcessAtOnceAreRefusedEachForItself() throws Exception {
        registry().register(registration("p").withLeaseRequired(true));
        List<Callable<Optional<AppendResult>>> calls = new ArrayList<>();
        for (int caller = 0; caller < 40; caller++) {
            EventAppend append = switch (caller % 4) {
                case 0 -> EventAppend.of("undeclared", Json.NULL);
                case 1 -> ContractFixture.note(caller).withReplayKey("same " + caller % 8);
                case 2 -> ContractFixture.said("nobody");
                default -> ContractFixture.note(caller);
            };
            calls.add(() -> {
                try {
                    return Optional.of(registry().append("p", append));
                } catch (ProcessException refused) {
                    return Optional.empty();
                }
            });
        }
        List<AppendResult> appended =
                together(calls).stream().flatMap(Optional::stream).toList();
        // Of two replay keys the first content each, and ten without.
        assertThat(appended).hasSize(12);
        assertThat(registry().eventsAfter("p", 0, 99))
                .extracting(ProcessEvent::sequence)
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 12).boxed().toList());
        assertThat(appended).extracting(each -> each.event().sequence()).doesNotHaveDuplicates();
    }
}
