package dev.cloche.process.postgres;

import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.WorkerContract;
import dev.cloche.process.WorkerKillContract;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

class PostgresWorkerTest {
    private final TestServer server = TestServer.shared();
    private final PostgresConfig config = server.config("workers");
    private ProcessRegistry registry;

    @BeforeEach
    void open() throws SQLException {
        server.empty(config.schema());
        registry = ProcessRegistry.over(PostgresProcessStore.open(config));
    }

    @AfterEach
    void close() {
        registry.close();
    }

    @Nested
    class InOneProgram extends WorkerContract {
        @Override
        protected ProcessRegistry registry() {
            return registry;
        }
    }

    @Nested
    class InOthers extends WorkerKillContract {
        @Override
        protected ProcessRegistry registry() {
            return registry;
        }

        @Override
        protected Class<?> program() {
            return PostgresWorkerProgram.class;
        }

        @Override
        protected String[] arguments(String owner) {
            return new String[] {config.url(), config.user(), config.schema(), owner};
        }
    }
}
