package dev.cloche.sandbox.directory;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;

/**
 * Says that this process brings the end of a sandbox about: a shared lock on {@code ending} in the sandbox's directory,
 * taken before the end is recorded as asked for and held until it has come. A draining sandbox whose file is locked by
 * no process has lost the processes that were ending it, and a sweep goes on as the {@link EndPlan} in the file says,
 * which is that of the latest caller.
 *
 * <p>An end must come also where this cannot be noted: without its lock a sweep may go on with it beside its process,
 * which does no harm, because any number may end a sandbox at once.
 */
public final class EndHold implements AutoCloseable {
    private static final String FILE = "ending";
    /** For a sweep that looks, which takes microseconds. */
    private static final Duration LOOK = Duration.ofSeconds(10);
    /** More than any plan has. */
    private static final int LONGEST = 100;

    private static final System.Logger LOG = System.getLogger(EndHold.class.getName());

    private final Optional<LockFile> lock;

    private EndHold(Optional<LockFile> lock) {
        this.lock = lock;
    }

    /** Takes it, and notes what is going to be done. */
    public static EndHold take(SandboxDirectory directory, EndPlan plan) {
        EndHold hold = take(directory);
        hold.note(directory, plan);
        return hold;
    }

    /** Takes it, to go on with what is noted. */
    public static EndHold take(SandboxDirectory directory) {
        try {
            return new EndHold(LockFile.lockShared(file(directory), Deadline.after(LOOK)));
        } catch (SystemCallException goneOrFull) {
            LOG.log(System.Logger.Level.DEBUG, "the end of a sandbox goes on without its lock", goneOrFull);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new EndHold(Optional.empty());
    }

    private static Path file(SandboxDirectory directory) {
        return directory.path().resolve(FILE);
    }

    /** Writes the plan in place and at once, so that a reader finds this line or the one before. */
    private void note(SandboxDirectory directory, EndPlan plan) {
        if (lock.isEmpty()) {
            return;
        }
        try (FileChannel file = FileChannel.open(file(directory), StandardOpenOption.WRITE)) {
            int _ = file.write(ByteBuffer.wrap(plan.text().getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException full) {
            LOG.log(System.Logger.Level.DEBUG, "how a sandbox ends cannot be noted", full);
        }
    }

    /**
     * Says whether a living process brings the end about. A process that begins to at this very moment waits for an
     * instant.
     */
    public static boolean isTaken(SandboxDirectory directory) {
        if (!Files.exists(file(directory))) {
            return false;
        }
        try {
            Optional<LockFile> free = LockFile.tryLock(file(directory));
            free.ifPresent(LockFile::close);
            return free.isEmpty();
        } catch (SystemCallException gone) {
            return false;
        }
    }

    /** Returns the plan that was noted last. */
    public static EndPlan plan(SandboxDirectory directory) {
        try (InputStream file = Files.newInputStream(file(directory))) {
            return EndPlan.parse(new String(file.readNBytes(LONGEST), StandardCharsets.US_ASCII))
                    .orElse(EndPlan.UNKNOWN);
        } catch (IOException none) {
            return EndPlan.UNKNOWN;
        }
    }

    /** Makes the file for a first run, of whose end nothing is noted. */
    static void make(SandboxDirectory directory) {
        LockFile.make(file(directory));
    }

    /**
     * Prepares for a further run, of whose end nothing is noted. The file stays: the process that ended the last run may
     * still have its lock.
     */
    static void renew(SandboxDirectory directory) throws IOException {
        take(directory).close();
        FileChannel.open(file(directory), StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                .close();
    }

    @Override
    public void close() {
        lock.ifPresent(LockFile::close);
    }
}
