package dev.cloche.process;

import dev.cloche.catalog.Catalog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

class SqliteWorkerTest {
    @TempDir
    Path root;

    private Catalog catalog;
    private ProcessRegistry registry;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
        registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root));
    }

    @AfterEach
    void close() {
        registry.close();
        catalog.close();
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
            return WorkerProgram.class;
        }

        @Override
        protected String[] arguments(String owner) {
            return new String[] {root.toString(), owner};
        }
    }
}
