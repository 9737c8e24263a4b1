package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.vm.SnapshotName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/**
 * Notes facts about templates beside them, also about those that are not there: which process makes one, when one was
 * used, and when one could not be made. Empty files, of which the lock or the time counts.
 *
 * @param directory made when it is needed
 */
public record TemplateNotes(Path directory, Clock clock) {
    /** Takes the right to make it; empty if a process is making it. */
    public Optional<LockFile> tryMake(SnapshotName name) {
        ensureDirectory();
        return LockFile.tryLock(lock(name));
    }

    /** Takes the right to make it when no other process makes it; empty if that takes longer than the deadline. */
    public Optional<LockFile> alone(SnapshotName name, Deadline deadline) throws InterruptedException {
        ensureDirectory();
        return LockFile.lock(lock(name), deadline);
    }

    private void ensureDirectory() {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the process that makes it; false if that takes longer than the deadline. */
    public boolean awaitMaker(SnapshotName name, Deadline deadline) throws InterruptedException {
        Optional<LockFile> over = LockFile.lock(lock(name), deadline);
        over.ifPresent(LockFile::close);
        return over.isPresent();
    }

    public boolean isBeingMade(SnapshotName name) {
        return LockFile.isHeld(lock(name));
    }

    public void used(SnapshotName name) {
        touch(use(name));
    }

    public Optional<Instant> lastUsed(SnapshotName name) {
        return time(use(name));
    }

    public void made(SnapshotName name) {
        delete(failure(name));
        used(name);
    }

    public void failed(SnapshotName name) {
        touch(failure(name));
    }

    public Optional<Instant> lastFailed(SnapshotName name) {
        return time(failure(name));
    }

    /** Forgets what is noted of a template that is gone. */
    public void forget(SnapshotName name) {
        delete(use(name));
        delete(failure(name));
    }

    private Path lock(SnapshotName name) {
        return directory.resolve(name + ".lock");
    }

    private Path use(SnapshotName name) {
        return directory.resolve(name + ".used");
    }

    private Path failure(SnapshotName name) {
        return directory.resolve(name + ".failed");
    }

    private static Optional<Instant> time(Path note) {
        try {
            return Optional.of(Files.getLastModifiedTime(note).toInstant());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where that fails, a template looks older than it is. */
    private void touch(Path note) {
        try {
            if (Files.notExists(note)) {
                Files.createDirectories(directory);
                Files.write(note, new byte[0]);
            }
            Files.setLastModifiedTime(note, FileTime.from(clock.instant()));
        } catch (IOException e) {
            System.getLogger(TemplateNotes.class.getName())
                    .log(System.Logger.Level.DEBUG, "the time of " + note + " is not noted", e);
        }
    }

    private static void delete(Path note) {
        try {
            Files.deleteIfExists(note);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
