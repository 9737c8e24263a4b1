package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.process.AppendResult;
import dev.cloche.process.Change;
import dev.cloche.process.ContractFixture;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresFaultsTest {
    private static final String SCHEMA = "faults";

    private final List<ProcessRegistry> opened = new ArrayList<>();
    private final TestServer server = TestServer.shared();

    @BeforeEach
    void migrate() throws SQLException {
        PostgresProcessStore.open(server.config(SCHEMA)).close();
        server.empty(SCHEMA);
    }

    @AfterEach
    void close() {
        opened.forEach(ProcessRegistry::close);
    }

    private ProcessRegistry open(PostgresConfig config) {
        ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config));
        opened.add(registry);
        return registry;
    }

    private ProcessRegistry open() {
        return open(server.config(SCHEMA));
    }

    @Test
    void aServerThatIsKilledIsAnErrorAndLosesNothingThatItAcknowledged() throws Exception {
        try (TestServer victim = TestServer.start()) {
            PostgresConfig config = victim.config(SCHEMA).withStatementTimeout(Duration.ofSeconds(10));
            ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config));
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                Map<Long, String> acknowledged = new TreeMap<>();
                registry.register(ContractFixture.registration("p"));
                Lease lease = registry.claim("p", "ann", Duration.ofHours(1));
                Future<Long> failed = threads.submit(() -> {
                    for (long i = 1; ; i++) {
                        try {
                            AppendResult appended = registry.append(lease, note(i));
                            synchronized (acknowledged) {
                                acknowledged.put(
                                        appended.event().sequence(),
                                        appended.event().payloadHash());
                            }
                        } catch (ProcessException.StoreFailed e) {
                            return i;
                        }
                    }
                });
                await().until(() -> {
                    synchronized (acknowledged) {
                        return acknowledged.size() > 200;
                    }
                });
                victim.kill();
                long inDoubt = failed.get();
                assertThatThrownBy(() -> registry.get("p")).isInstanceOf(ProcessException.StoreFailed.class);
                assertThatThrownBy(() -> registry.get("q"))
                        .as("what cannot be read is not absent")
                        .isInstanceOf(ProcessException.StoreFailed.class);
                victim.restart();
                await().ignoreExceptionsInstanceOf(ProcessException.StoreFailed.class)
                        .until(() -> registry.get("p").isPresent());
                Map<Long, String> kept = new TreeMap<>();
                registry.eventsAfter("p", 0, 10_000).forEach(event -> kept.put(event.sequence(), event.payloadHash()));
                assertThat(kept).containsAllEntriesOf(acknowledged);
                assertThat(registry.append(lease, note(inDoubt)).event().sequence())
                        .isEqualTo(acknowledged.size() + 1L);
                assertThat(registry.claim("p", "ann", Duration.ofHours(1)).fence())
                        .isGreaterThan(lease.fence());
            } finally {
                registry.close();
            }
        }
    }

    private static EventAppend note(long number) {
        return ContractFixture.note(number).withReplayKey("n" + number);
    }

    @Test
    void aWaiterIsToldByAnotherHostAgainAfterItsConnectionsWereCut() throws Exception {
        ProcessRegistry here = open();
        ProcessRegistry there = open(server.config(SCHEMA).withSafetyPoll(Duration.ofHours(1)));
        here.register(ContractFixture.registration("p"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (long round = 1; round <= 3; round++) {
                long after = round - 1;
                Future<ProcessEvent> waiting = threads.submit(
                        () -> there.awaitEventAfter("p", "note", after, Deadline.after(Duration.ofMinutes(5))));
                awaitListeners();
                server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'");
                awaitListeners();
                here.append("p", ContractFixture.note(round));
                assertThat(waiting.get().sequence()).isEqualTo(round);
            }
        }
    }

    private void awaitListeners() {
        await().until(() -> {
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN "
                            + SCHEMA + "%' AND state = 'idle'")) {
                rows.next();
                return rows.getInt(1) == 1;
            }
        });
    }

    @Test
    void aCommitWhoseAuthorDiedBeforeItNotifiedIsFoundByTheSafetyPoll() throws Exception {
        ProcessRegistry registry = open(server.config(SCHEMA).withSafetyPoll(Duration.ofMillis(50)));
        registry.register(ContractFixture.registration("p"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<ProcessEvent> waiting = threads.submit(
                    () -> registry.awaitEventAfter("p", "note", 0, Deadline.after(Duration.ofMinutes(5))));
            awaitListeners();
            server.execute("SET search_path TO " + SCHEMA + "; BEGIN;"
                    + " UPDATE process SET last_sequence = 1 WHERE id = 'p';"
                    + " INSERT INTO process_event (process_key, sequence, type, payload, payload_hash, at_ms)"
                    + " SELECT key, 1, 'note', '1', 'hash', 0 FROM process WHERE id = 'p';"
                    + " INSERT INTO process_change (process_id, kind, sequence, event_type)"
                    + " VALUES ('p', 'event', 1, 'note'); COMMIT");
            assertThat(waiting.get().payload()).isEqualTo(Json.of(1));
        }
    }

    @Test
    void theFeedWaitsForTransactionsThatRunAndKeepsTheOrderOfEachProcess() throws Exception {
        ProcessRegistry registry = open();
        registry.register(ContractFixture.registration("a"));
        registry.register(ContractFixture.registration("b"));
        // Not settled as long as any transaction of the server runs, and a broken one of the test before may still do.
        String cursor = await().until(
                        () -> registry.changes(Optional.empty(), 100),
                        page -> page.changes().size() == 2)
                .next();
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (PostgresProcessStore store = PostgresProcessStore.open(server.config(SCHEMA));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> early = threads.submit(() -> store.write(transaction -> {
                // Its number is given with this lock, and is lower than that of the append below.
                assertThat(transaction.lock("a")).isPresent();
                transaction.change(new Change("a", Change.Kind.EXTERNAL_REF, 0, Optional.empty()));
                transaction.grantsOf(transaction.lock("a").orElseThrow());
                locked.countDown();
                awaitQuietly(goOn);
                assertThat(transaction.lock("b")).isPresent();
                transaction.change(new Change("b", Change.Kind.EXTERNAL_REF, 0, Optional.empty()));
                return transaction;
            }));
            try {
                locked.await();
                registry.append("b", ContractFixture.note(1));
                assertThat(registry.changes(Optional.of(cursor), 100).changes()).isEmpty();
            } finally {
                // Also after a failure: the executor's close waits for the transaction.
                goOn.countDown();
            }
            early.get();
        }
        await().untilAsserted(() -> assertThat(
                        registry.changes(Optional.of(cursor), 100).changes())
                .containsExactly(
                        new Change("a", Change.Kind.EXTERNAL_REF, 0, Optional.empty()),
                        new Change("b", Change.Kind.EVENT, 1, Optional.of("note")),
                        new Change("b", Change.Kind.EXTERNAL_REF, 0, Optional.empty())));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void transactionsThatLockInOppositeOrdersAreRepeatedUntilBothAreDone() throws Exception {
        ProcessRegistry registry = open();
        registry.register(ContractFixture.registration("a"));
        registry.register(ContractFixture.registration("b"));
        CountDownLatch both = new CountDownLatch(2);
        try (PostgresProcessStore store = PostgresProcessStore.open(server.config(SCHEMA));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> one = threads.submit(() -> lockBoth(store, "a", "b", both));
            Future<?> other = threads.submit(() -> lockBoth(store, "b", "a", both));
            one.get();
            other.get();
        }
    }

    private static String lockBoth(PostgresProcessStore store, String first, String second, CountDownLatch both) {
        return store.write(transaction -> {
            assertThat(transaction.lock(first)).isPresent();
            both.countDown();
            awaitQuietly(both);
            return transaction.lock(second).orElseThrow().id();
        });
    }

    @Test
    void aLockThatIsNotFreedInTimeIsAnError() throws Exception {
        ProcessRegistry registry = open();
        registry.register(ContractFixture.registration("p"));
        // Hasty for nothing but what is refused: all else may take long on a busy host.
        ProcessRegistry hasty = open(server.config(SCHEMA).withStatementTimeout(Duration.ofSeconds(2)));
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            try (Statement statement = holder.createStatement()) {
                statement.execute("SELECT FROM " + SCHEMA + ".process FOR UPDATE");
                assertThatThrownBy(() -> hasty.append("p", ContractFixture.note(1)))
                        .isInstanceOf(ProcessException.StoreFailed.class);
            }
            holder.rollback();
        }
        assertThat(registry.append("p", ContractFixture.note(1)).event().sequence())
                .isEqualTo(1);
    }

    @Test
    void anInterruptCutsNoCallShortAndIsKeptForLater() throws Exception {
        ProcessRegistry registry = open();
        registry.register(ContractFixture.registration("p"));
        Thread caller = Thread.ofVirtual().unstarted(() -> {
            for (int i = 0; i < 200; i++) {
                Thread.currentThread().interrupt();
                registry.append("p", ContractFixture.note(i));
                if (!Thread.interrupted()) {
                    throw new IllegalStateException("the interrupt is lost");
                }
            }
            registry.complete("p", ContractFixture.success(1));
        });
        caller.start();
        caller.join();
        assertThat(registry.eventsAfter("p", 0, 1_000))
                .hasSize(201)
                .last()
                .satisfies(event -> assertThat(event.type()).isEqualTo(EventType.COMPLETED));
    }
}
