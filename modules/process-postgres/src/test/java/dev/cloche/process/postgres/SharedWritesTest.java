package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.cloche.process.AppendResult;
import dev.cloche.process.Change;
import dev.cloche.process.ContractFixture;
import dev.cloche.process.EventAppend;
import dev.cloche.process.Json;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.GroupCommit;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Callers of one process that share a transaction for certain: they gather while its row is locked. */
class SharedWritesTest {
    private static final String SCHEMA = "shared";
    private static final Duration LONG = Duration.ofHours(1);

    private final TestServer server = TestServer.shared();

    @Test
    void callersOfAllKindsShareTwoTransactionsAndEachGetsItsOwnAnswer() throws Exception {
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(server.config(SCHEMA)))) {
            server.empty(SCHEMA);
            registry.register(ContractFixture.registration("p"));
            // So that the declaration is known, and no call but a write waits for the database.
            registry.append("p", ContractFixture.note(-1));
            Lease fenced = registry.claim("p", "ann", LONG);
            Lease held = registry.claim("p", "ann", LONG);
            Map<String, Callable<AppendResult>> calls = new LinkedHashMap<>();
            for (int i = 0; i < 10; i++) {
                long number = i;
                calls.put("note " + i, () -> registry.append("p", ContractFixture.note(number)));
                calls.put("wake " + i, () -> registry.append("p", wake("say " + number)));
                calls.put("held " + i, () -> registry.append(held, ContractFixture.note(number)));
                calls.put("fenced " + i, () -> registry.append(fenced, ContractFixture.note(number)));
                calls.put("undeclared " + i, () -> registry.append("p", EventAppend.of("none", Json.NULL)));
                calls.put(
                        "key " + i,
                        () -> registry.append("p", ContractFixture.note(7).withReplayKey("k" + number / 5)));
                calls.put(
                        "conflict " + i,
                        () -> registry.append(
                                "p", ContractFixture.note(100 + number).withReplayKey("c")));
            }
            calls.put("end", () -> registry.complete("p", ContractFixture.success(1)));

            Map<String, Optional<AppendResult>> answers = whileLocked(calls);

            Map<Boolean, List<String>> refused = new LinkedHashMap<>();
            answers.forEach((name, answer) -> refused.computeIfAbsent(answer.isEmpty(), _ -> new ArrayList<>())
                    .add(name.replaceAll(" .*", "")));
            assertThat(refused.get(true))
                    .contains("fenced", "undeclared", "conflict")
                    .doesNotContain("note", "held");
            List<AppendResult> written = answers.values().stream()
                    .flatMap(Optional::stream)
                    .filter(appended -> !appended.replayed())
                    .toList();
            // Ten of each of three kinds, two keys that five share each, one of ten that conflict, and the end.
            assertThat(written).hasSize(30 + 2 + 1 + 1);
            List<ProcessEvent> log = registry.eventsAfter("p", 1, 99);
            assertThat(log)
                    .extracting(ProcessEvent::sequence)
                    .containsExactlyElementsOf(LongStream.rangeClosed(2, written.size() + 1L)
                            .boxed()
                            .toList());
            assertThat(written).extracting(AppendResult::event).containsExactlyInAnyOrderElementsOf(log);
            // Not settled as long as any transaction of the server runs.
            await().untilAsserted(() -> assertThat(
                            registry.changes(Optional.empty(), 99).changes())
                    .filteredOn(change -> change.kind() == Change.Kind.EVENT && change.sequence() > 1)
                    .extracting(Change::sequence)
                    .containsExactlyElementsOf(
                            log.stream().map(ProcessEvent::sequence).toList()));
            assertThat(registry.pendingWakes(ContractFixture.OWNER.session(), Optional.empty(), 99))
                    .hasSize(10)
                    .containsExactlyInAnyOrderElementsOf(written.stream()
                            .map(AppendResult::wake)
                            .flatMap(Optional<WakeDelivery>::stream)
                            .toList());
            assertThat(registry.get("p").orElseThrow().status()).isEqualTo(ProcessStatus.COMPLETED);
            assertThat(transactions()).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void appendsWithReplayKeysNeedTwoRoundTripsPerTransaction() throws Exception {
        PostgresConfig config = server.config(SCHEMA);
        AtomicInteger trips = new AtomicInteger();
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config))) {
            server.empty(SCHEMA);
            registry.register(ContractFixture.registration("p"));
            for (int i = 0; i < 10; i++) {
                registry.append("p", ContractFixture.note(i).withReplayKey("old " + i));
            }
            try (UninterruptibleExecutor executor = new UninterruptibleExecutor("test", 2);
                    HikariDataSource pool = countingPool(config, trips);
                    ExecutorService threads = Executors.newCachedThreadPool()) {
                SharedWrites writes = new SharedWrites(
                        executor, new TransactionRunner(pool, LONG), PostgresReads.SERVER_CLOCK, _ -> {});
                CountDownLatch leads = new CountDownLatch(1);
                AtomicBoolean gathered = new AtomicBoolean();
                // It leads, and so the others come together.
                Future<ProcessEvent> leader = threads.submit(() -> writes.run("p", Optional.of("none"), transaction -> {
                    leads.countDown();
                    await().until(gathered::get);
                    return append(transaction, "none");
                }));
                leads.await();
                List<Thread> callers = new ArrayList<>();
                List<Future<ProcessEvent>> running = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    String key = (i % 2 == 0 ? "old " : "new ") + i / 4;
                    running.add(threads.submit(() -> {
                        synchronized (callers) {
                            callers.add(Thread.currentThread());
                        }
                        return writes.run("p", Optional.of(key), transaction -> append(transaction, key));
                    }));
                }
                await().until(() -> {
                    synchronized (callers) {
                        return callers.size() == 40 && callers.stream().allMatch(SharedWritesTest::isQueued);
                    }
                });
                trips.set(0);
                gathered.set(true);
                leader.get();
                Map<String, ProcessEvent> byKey = new LinkedHashMap<>();
                for (Future<ProcessEvent> each : running) {
                    ProcessEvent event = each.get();
                    assertThat(byKey.merge(event.replayKey().orElseThrow(), event, (one, _) -> one))
                            .isEqualTo(event);
                }
                assertThat(byKey).hasSize(20);
                assertThat(trips).as("of two transactions").hasValueLessThanOrEqualTo(4);
                assertThat(registry.eventsAfter("p", 0, 99))
                        .hasSize(10 + 10 + 1)
                        .containsAll(byKey.values());
            }
        }
    }

    /** Its state alone does not say it: a thread waits for locks too. */
    private static boolean isQueued(Thread caller) {
        return Arrays.stream(caller.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("await")
                        && frame.getClassName().startsWith(GroupCommit.class.getName()));
    }

    private static ProcessEvent append(StoreTransaction transaction, String key) {
        ProcessHead process = transaction.lock("p").orElseThrow();
        return transaction.eventOfReplayKey(process, key).orElseGet(() -> {
            ProcessEvent event = new ProcessEvent(
                    "p",
                    process.lastSequence() + 1,
                    "note",
                    Json.NULL,
                    "hash",
                    Optional.of(key),
                    Optional.empty(),
                    transaction.now().wall());
            transaction.insertEvent(process, event);
            return event;
        });
    }

    /** Counts round trips but for commits: what is sent together is prepared together. */
    private static HikariDataSource countingPool(PostgresConfig config, AtomicInteger trips) {
        HikariConfig settings = new HikariConfig();
        try (HikariDataSource pool = PostgresConnections.pool(config)) {
            pool.copyStateTo(settings);
        }
        return new HikariDataSource(settings) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        SharedWritesTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")) {
                                trips.incrementAndGet();
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }

    private static EventAppend wake(String what) {
        return ContractFixture.said(what).withWakeTarget(ContractFixture.OWNER);
    }

    /** Begins all calls while the row is locked; what each returned, or empty if it was refused. */
    private Map<String, Optional<AppendResult>> whileLocked(Map<String, Callable<AppendResult>> calls)
            throws Exception {
        Map<String, Optional<AppendResult>> answers = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Connection holder = server.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("SELECT FROM " + SCHEMA + ".process FOR UPDATE");
            Map<String, Future<AppendResult>> running = new LinkedHashMap<>();
            List<Thread> callers = new ArrayList<>();
            calls.forEach((name, call) -> running.put(name, threads.submit(() -> {
                synchronized (callers) {
                    callers.add(Thread.currentThread());
                }
                return call.call();
            })));
            await().until(() -> {
                synchronized (callers) {
                    // But for the one that leads, which waits for the database.
                    return callers.stream().filter(SharedWritesTest::isQueued).count() == calls.size() - 1;
                }
            });
            holder.rollback();
            for (Map.Entry<String, Future<AppendResult>> each : running.entrySet()) {
                answers.put(each.getKey(), answer(each.getValue()));
            }
        }
        return answers;
    }

    private static Optional<AppendResult> answer(Future<AppendResult> call) throws Exception {
        try {
            return Optional.of(call.get());
        } catch (ExecutionException e) {
            assertThat(e)
                    .cause()
                    .isInstanceOfAny(
                            ProcessException.LeaseLost.class,
                            ProcessException.UndeclaredType.class,
                            ProcessException.ReplayConflict.class);
            return Optional.empty();
        }
    }

    /** How many have written events. */
    private int transactions() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT count(DISTINCT xmin::text) FROM " + SCHEMA + ".process_event WHERE sequence > 1")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
