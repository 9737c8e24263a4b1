package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.HistorySimulator;
import dev.cloche.process.SimulatedClock;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** Random histories, with a table in the place of the server's clock. */
class PostgresHistoryTest {
    private static final int HISTORIES = 40;
    private static final int STEPS = 60;

    @Test
    void noHistoryBreaksAPromise() throws SQLException {
        TestServer server = TestServer.shared();
        PostgresConfig config = server.config("history").withConnections(2);
        server.execute("CREATE TABLE IF NOT EXISTS public.history_clock (ms bigint NOT NULL)");
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE public.history_clock");
            statement.execute("INSERT INTO public.history_clock VALUES (0)");
            for (long seed = 0; seed < HISTORIES; seed++) {
                SimulatedClock clock = new SimulatedClock(time -> set(statement, time));
                set(statement, clock.now());
                try (ProcessStore store = PostgresProcessStore.open(config, "(SELECT ms FROM public.history_clock)")) {
                    server.empty(config.schema());
                    assertThat(new HistorySimulator(seed, store, clock, false).run(STEPS))
                            .as("history of seed %d", seed)
                            .isEmpty();
                }
            }
        }
    }

    private static void set(Statement statement, StoreTime time) {
        try {
            statement.execute("UPDATE public.history_clock SET ms = " + time.ticks());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
