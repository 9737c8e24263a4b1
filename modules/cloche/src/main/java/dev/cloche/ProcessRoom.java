package dev.cloche;

import dev.cloche.catalog.Catalog;
import dev.cloche.execution.Executions;
import dev.cloche.linux.LockFile;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessWorker;
import dev.cloche.process.SqliteProcessStore;
import dev.cloche.sandbox.SandboxManager;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Keeps the registry of processes of one state root, opened at its first use: few programs use it. Thread-safe. */
final class ProcessRoom implements AutoCloseable {
    /** After which another program goes on with a durable command whose driver has died. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private final Catalog catalog;
    private final Path root;
    private @Nullable ProcessRegistry registry;
    private @Nullable Executions executions;
    private @Nullable Driving driving;

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

    /** Returns the same for all that ask, because starters and drivers share connections to guests. */
    synchronized Executions executions(SandboxManager sandboxes) {
        Executions shared = executions;
        if (shared == null) {
            shared = new Executions(registry(), sandboxes, outputs(), Clock.systemUTC());
            executions = shared;
        }
        return shared;
    }

    /** Of durable commands. */
    Path outputs() {
        return root.resolve("executions");
    }

    /** Drives executions until this is closed. Asked for once more, it does nothing. */
    synchronized void work(Executions executions, Duration lease) {
        if (driving == null) {
            driving = drive(executions, lease);
        }
    }

    /** Drives executions until what is returned is closed. */
    Driving drive(Executions executions, Duration lease) {
        LockFile said = CommandDrivers.hold(outputs());
        return new Driving(said, executions.work(lease));
    }

    /** A worker that drives commands, and what tells other programs of it. */
    record Driving(LockFile said, ProcessWorker worker) implements AutoCloseable {
        @Override
        public void close() {
            try (said) {
                worker.close();
            }
        }
    }

    @Override
    public synchronized void close() {
        if (driving != null) {
            driving.close();
        }
        if (registry != null) {
            registry.close();
        }
    }
}
