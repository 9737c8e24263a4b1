package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Uninterrupted;
import dev.cloche.linux.LockFile;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tells which programs of this host drive durable commands: each holds a shared lock for as long as it does. The kernel lets go of
 * it with the program, where a lease lasts half a minute longer, and a command that is about to be driven has no lease
 * yet. Safe for use from several threads.
 */
final class CommandDrivers {
    /** How long a wait goes on before it looks for a driver again: no event tells of the death of the last one. */
    static final Duration LOOK = Duration.ofSeconds(5);

    private final ProcessRegistry registry;
    private final Path outputs;

    /** @param outputs where the outputs of commands are, and the lock */
    CommandDrivers(ProcessRegistry registry, Path outputs) {
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
