package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Uninterrupted;
import dev.cloche.catalog.Catalog;
import dev.cloche.execution.Executions;
import dev.cloche.linux.LockFile;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessWorker;
import dev.cloche.process.SqliteProcessStore;
import dev.cloche.sandbox.SandboxManager;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
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
        LockFile said = Drivers.hold(outputs());
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

    /**
     * Tells which programs of this host drive durable commands: each holds a shared lock for as long as it does. The kernel lets go of
     * it with the program, where a lease lasts half a minute longer, and a command that is about to be driven has no lease
     * yet. Safe for use from several threads.
     */
    static final class Drivers {
        /** How long a wait goes on before it looks for a driver again: no event tells of the death of the last one. */
        static final Duration LOOK = Duration.ofSeconds(5);

        private final ProcessRegistry registry;
        private final Path outputs;

        /** @param outputs where the outputs of commands are, and the lock */
        Drivers(ProcessRegistry registry, Path outputs) {
            this.registry = registry;
            this.outputs = outputs;
        }

        /** Says that this process drives commands, until the lock is closed. */
        static LockFile hold(Path outputs) {
            AtomicReference<LockFile> held = new AtomicReference<>();
            // Who looks for drivers has it for an instant.
            Uninterrupted.run(() -> {
                try {
                    LockFile.lockShared(file(outputs), Deadline.none()).ifPresent(held::set);
                } catch (InterruptedException e) {
                    throw new IllegalStateException("no other thread interrupts this one", e);
                }
            });
            return held.get();
        }

        /**
         * Whether a process runs. One that is unknown does not.
         *
         * @throws ProcessException.Undriven if it is a command that runs, and no program drives commands
         */
        boolean isRunning(String id) {
            Optional<ProcessRecord> process = running(id);
            boolean command = process.filter(
                            known -> known.registration().input().type().equals(ProcessInput.SANDBOX_EXEC))
                    .isPresent();
            if (!command || any()) {
                return process.isPresent();
            }
            // Its driver may have recorded the end and left in between.
            if (running(id).isPresent()) {
                throw new ProcessException.Undriven(id);
            }
            return false;
        }

        private Optional<ProcessRecord> running(String id) {
            return registry.get(id).filter(process -> process.status() == ProcessStatus.RUNNING);
        }

        private boolean any() {
            Optional<LockFile> free = LockFile.tryLock(file(outputs));
            free.ifPresent(LockFile::close);
            return free.isEmpty();
        }

        private static Path file(Path outputs) {
            try {
                return DurableFiles.ensureDirectory(outputs).resolve("drivers.lock");
            } catch (IOException e) {
                throw new HostException.StateRootUnusable(outputs, e);
            }
        }
    }
}
