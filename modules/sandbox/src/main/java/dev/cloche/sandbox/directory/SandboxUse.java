package dev.cloche.sandbox.directory;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says that this process uses a sandbox: has a command in it, or moves bytes to or from it. All processes say so in the
 * sandbox's directory, where its guest cannot reach, and the owner looks there before it ends an unused sandbox.
 *
 * <p>{@code used} is locked shared as long as any process uses the sandbox, so a process that dies uses it no longer.
 * It is modified when a use begins or ends; the time is that of the monotonic clock since the host's boot, which no
 * change of the wall clock moves and which all processes share. {@code draining} is there when no further use may
 * begin.
 */
public final class SandboxUse {
    /** Is for a look whether it is in use, which takes microseconds. */
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final String name;
    private final SandboxDirectory directory;
    private final ReentrantLock counting = new ReentrantLock();
    private int uses;
    private @Nullable LockFile lock;

    public SandboxUse(String name, SandboxDirectory directory) {
        this.name = name;
        this.directory = directory;
    }

    private static Path file(SandboxDirectory directory) {
        return directory.path().resolve("used");
    }

    private static Path mark(SandboxDirectory directory) {
        return directory.path().resolve("draining");
    }

    /**
     * Begins a use; each is to be ended once.
     *
     * @throws SandboxException.Draining if the sandbox takes no further commands
     */
    public void begin() {
        begin(this::refuseWhileDraining);
    }

    /** Begins a use that goes on with what has begun before, which is what a sandbox that is ending waits for. */
    public void goOn() {
        begin(() -> {});
    }

    private void begin(Runnable refusal) {
        counting.lock();
        try {
            refusal.run();
            if (uses == 0) {
                lock = share();
                try {
                    // It may have come to be while this waited for the lock.
                    refusal.run();
                } catch (SandboxException.Draining e) {
                    unlock();
                    throw e;
                }
            }
            uses++;
            touch(directory);
        } finally {
            counting.unlock();
        }
    }

    /** Opens something for a use that has begun, and ends the use if that fails. */
    public <T> T untilClosed(Supplier<T> opening) {
        try {
            return opening.get();
        } catch (Throwable failure) {
            end();
            throw failure;
        }
    }

    public void end() {
        counting.lock();
        try {
            touch(directory);
            uses--;
            if (uses == 0) {
                unlock();
            }
        } finally {
            counting.unlock();
        }
    }

    private void unlock() {
        LockFile held = lock;
        if (held != null) {
            held.close();
            lock = null;
        }
    }

    private void refuseWhileDraining() {
        if (Files.exists(mark(directory))) {
            throw new SandboxException.Draining(name);
        }
    }

    /** Without its directory a sandbox is gone, and what is to be done in it will say so. */
    private @Nullable LockFile share() {
        try {
            return LockFile.lockShared(file(directory), Deadline.after(LOOK)).orElse(null);
        } catch (SystemCallException gone) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Begins its idle time anew. */
    public static void touch(SandboxDirectory directory) {
        try {
            Files.setLastModifiedTime(file(directory), FileTime.from(System.nanoTime(), TimeUnit.NANOSECONDS));
        } catch (IOException gone) {
            // With its sandbox.
        }
    }

    /** Notes that a sandbox starts, and takes commands. */
    public static void begins(SandboxDirectory directory) {
        try {
            Files.deleteIfExists(mark(directory));
            // All that its life takes, now: a sandbox is to be ended and resumed on a full disk, too.
            if (Files.exists(file(directory))) {
                EndHold.renew(directory);
            } else {
                EndHold.make(directory);
            }
            directory.makePause();
            LockFile.make(file(directory));
        } catch (IOException | SystemCallException e) {
            throw new SandboxException.StorageFailed(directory.path(), e);
        }
        touch(directory);
    }

    /** Has every process refuse further uses; those that have begun go on. */
    public static void refuse(SandboxDirectory directory) {
        try {
            DurableFiles.ensureDirectory(directory.path());
            if (!Files.exists(mark(directory))) {
                Files.createFile(mark(directory));
            }
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directory.path(), e);
        }
    }

    /** Waits until the sandbox is not in use; empty if the deadline passes before. Uses wait while the lock is held. */
    public static Optional<LockFile> awaitUnused(SandboxDirectory directory, Deadline deadline)
            throws InterruptedException {
        return LockFile.lock(file(directory), deadline);
    }

    /** Watches for uses that begin or end from now on; the caller closes the signal. */
    public static FileSignal watch(SandboxDirectory directory) throws IOException {
        return FileSignal.listen(directory.path());
    }

    /** Returns how long ago a use began or ended; empty if the sandbox is gone. */
    public static Optional<Duration> sinceUsed(SandboxDirectory directory) {
        try {
            long at = Files.getLastModifiedTime(file(directory)).to(TimeUnit.NANOSECONDS);
            return Optional.of(Duration.ofNanos(Math.max(0, System.nanoTime() - at)));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }
}
