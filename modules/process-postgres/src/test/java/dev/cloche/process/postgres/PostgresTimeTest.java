package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.process.ContractFixture;
import dev.cloche.process.HandleDescriptor;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deadlines of callers, and what becomes of leases when the server's clock is set. */
class PostgresTimeTest {
    private static final String SCHEMA = "time";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static ProcessRegistry open(PostgresConfig config) {
        return ProcessRegistry.over(PostgresProcessStore.open(config));
    }

    @Test
    void aCallersDeadlineEndsWhatTheServerDoesForItHoweverLongAStatementMayTake() throws Exception {
        TestServer server = TestServer.shared();
        try (ProcessRegistry registry = open(server.config(SCHEMA).withStatementTimeout(Duration.ofHours(1)))) {
            server.empty(SCHEMA);
            registry.register(ContractFixture.registration("p"));
            try (Connection holder = server.connect();
                    Statement statement = holder.createStatement()) {
                holder.setAutoCommit(false);
                statement.execute("LOCK TABLE " + SCHEMA + ".process IN ACCESS EXCLUSIVE MODE");
                assertThatThrownBy(() -> registry.awaitProcess("p", Deadline.after(Duration.ofMillis(300))))
                        .isInstanceOf(ProcessException.TimedOut.class);
                await().until(() -> nobodyWaitsForALock(statement));
                holder.rollback();
            }
            registry.complete("p", ContractFixture.success(1));
            assertThat(registry.awaitProcess("p", Deadline.after(Duration.ZERO)))
                    .isEqualTo(ContractFixture.success(1));
        }
    }

    private static boolean nobodyWaitsForALock(Statement statement) throws SQLException {
        try (var rows = statement.executeQuery("SELECT count(*) FROM pg_locks WHERE NOT granted")) {
            rows.next();
            return rows.getInt(1) == 0;
        }
    }

    @Test
    void aServerThatHangsHoldsNoCallerBeyondItsDeadline() throws Exception {
        try (TestServer hanging = TestServer.start();
                ProcessRegistry registry = open(hanging.config(SCHEMA).withStatementTimeout(Duration.ofHours(1)))) {
            registry.register(ContractFixture.registration("p"));
            registry.append("p", ContractFixture.note(1));
            hanging.signal("STOP");
            try {
                assertThatThrownBy(
                                () -> registry.awaitEventAfter("p", "note", 1, Deadline.after(Duration.ofMillis(300))))
                        .isInstanceOf(ProcessException.TimedOut.class);
            } finally {
                hanging.signal("CONT");
            }
            assertThat(registry.eventsAfter("p", 0, 9)).hasSize(1);
        }
    }

    @Test
    void aStepOfTheServersClockEndsLeasesEarlyAndLetsNoOwnerWriteThatLostOne() throws Exception {
        TestServer server = TestServer.shared();
        server.execute("CREATE TABLE IF NOT EXISTS public.stepping_clock (ms bigint NOT NULL)");
        server.execute("TRUNCATE public.stepping_clock; INSERT INTO public.stepping_clock VALUES (1000000000000)");
        try (ProcessRegistry registry = ProcessRegistry.over(
                PostgresProcessStore.open(server.config(SCHEMA), "(SELECT ms FROM public.stepping_clock)"))) {
            server.empty(SCHEMA);
            registry.register(ContractFixture.registration("p").withLeaseRequired(true));
            Lease early = registry.claim("p", "ann", MINUTE);
            registry.append(early, ContractFixture.note(1));
            step(server, Duration.ofHours(1));
            assertThatThrownBy(() -> registry.append(early, ContractFixture.note(2)))
                    .isInstanceOf(ProcessException.LeaseLost.class);
            Lease next = registry.claim("p", "bob", MINUTE);
            assertThat(next.fence()).isGreaterThan(early.fence());
            assertThatThrownBy(() -> registry.renew(early, MINUTE)).isInstanceOf(ProcessException.LeaseLost.class);

            // Back again: ann's old lease does not come back, and bob keeps the lease for longer.
            step(server, Duration.ofHours(-1));
            assertThatThrownBy(() -> registry.completeWithLease(early, ContractFixture.success(1)))
                    .isInstanceOf(ProcessException.LeaseLost.class);
            assertThatThrownBy(() -> registry.claim("p", "cy", MINUTE))
                    .isInstanceOf(ProcessException.AlreadyLeased.class);
            registry.append(next, ContractFixture.note(3));

            // But for no longer than any lease can last.
            step(server, Duration.ofDays(-2));
            Lease last = registry.claim("p", "cy", MINUTE);
            assertThatThrownBy(() -> registry.append(next, ContractFixture.note(4)))
                    .isInstanceOf(ProcessException.LeaseLost.class);
            registry.completeWithLease(last, ContractFixture.success(2));
            assertThat(registry.eventsAfter("p", 0, 9)).hasSize(3);
        }
    }

    @Test
    void aStepForwardMakesWhatHasEndedOlderAndTakesNothingThatIsNeeded() throws Exception {
        TestServer server = TestServer.shared();
        server.execute("CREATE TABLE IF NOT EXISTS public.stepping_clock (ms bigint NOT NULL)");
        server.execute("TRUNCATE public.stepping_clock; INSERT INTO public.stepping_clock VALUES (1000000000000)");
        try (ProcessRegistry registry = ProcessRegistry.over(
                PostgresProcessStore.open(server.config(SCHEMA), "(SELECT ms FROM public.stepping_clock)"))) {
            server.empty(SCHEMA);
            for (String id : List.of("runs", "wakes", "granted", "over")) {
                registry.register(ContractFixture.registration(id));
            }
            registry.append("wakes", ContractFixture.said("hi").withWakeTarget(ContractFixture.OWNER));
            registry.grant(ContractFixture.OWNER, "granted", HandleDescriptor.NONE);
            for (String id : List.of("wakes", "granted", "over")) {
                registry.complete(id, ContractFixture.success(1));
            }
            ProcessPruneRequest halfAnHour = ProcessPruneRequest.unusedFor(Duration.ofMinutes(30));
            step(server, Duration.ofHours(-1));
            assertThat(registry.prune(halfAnHour)).isEmpty();
            step(server, Duration.ofHours(2));
            assertThat(registry.prune(halfAnHour)).containsExactly("over");
        }
    }

    private static void step(TestServer server, Duration by) throws SQLException {
        server.execute("UPDATE public.stepping_clock SET ms = ms + " + by.toMillis());
    }
}
