package dev.cloche;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.SqliteProcessStore;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The registry of processes of one state root, opened when somebody asks for it: few do. Thread-safe. */
final class ProcessRoom implements AutoCloseable {
    private final Catalog catalog;
    private final Path root;
    private @Nullable ProcessRegistry registry;

    ProcessRoom(Catalog catalog, Path root) {
        this.catalog = catalog;
        this.root = root;
    }

    synchronized ProcessRegistry registry() {
        ProcessRegistry open = registry;
        if (open == null) {
            open = ProcessRegistry.over(SqliteProcessStore.open(catalog, root));
            registry = open;
        }
        return open;
    }

    @Override
    public synchronized void close() {
        if (registry != null) {
            registry.close();
        }
    }
}
