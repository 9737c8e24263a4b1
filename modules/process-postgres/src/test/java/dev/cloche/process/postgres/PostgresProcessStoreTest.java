package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.Durability;
import dev.cloche.process.ProcessRegistryContract;
import dev.cloche.process.store.ProcessStore;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresProcessStoreTest extends ProcessRegistryContract {
    private static final String SCHEMA = "contract";

    private final TestServer server = TestServer.shared();

    @BeforeEach
    void beginWithoutRows() throws SQLException {
        server.empty(SCHEMA);
    }

    @Override
    protected ProcessStore openStore() {
        return PostgresProcessStore.open(server.config(SCHEMA));
    }

    @Override
    protected boolean isShared() {
        return true;
    }

    @Test
    void itIsDurableAsItsServerForcesItsLogToTheDisk() {
        assertThat(registry().durability()).isEqualTo(Durability.DURABLE);
    }
}
