package dev.cloche.machine;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits for something that changes with the files of machines, which every change does except the end of a VM that nobody
 * asked for: that is looked for twice a second.
 */
final class StateWait {
    private static final long LOOK_MILLIS = 500;

    private StateWait() {}

    /**
     * Returns when the condition holds.
     *
     * @throws MachineException.OutOfTime if the deadline passes first
     * @throws MachineException.Interrupted if the thread is interrupted
     */
    static void until(Path base, BooleanSupplier condition, String what, Deadline deadline) {
        try (WatchService watch = FileSystems.getDefault().newWatchService()) {
            WatchKey _ = base.register(
                    watch,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_DELETE,
                    StandardWatchEventKinds.ENTRY_MODIFY);
            while (!condition.getAsBoolean()) {
                if (deadline.passed()) {
                    throw new MachineException.OutOfTime(what);
                }
                WatchKey changed = watch.poll(Math.min(LOOK_MILLIS, deadline.remainingMillis()), TimeUnit.MILLISECONDS);
                if (changed != null) {
                    changed.pollEvents();
                    changed.reset();
                }
            }
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The directory " + base + " cannot be watched: " + e.getMessage() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MachineException.Interrupted(what);
        }
    }
}
