package dev.cloche.vmm.disk;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.vm.DiskException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory of a persistent disk: its record, and the two locks that keep two VMs from one disk (docs/on-disk.md). A
 * process that prepares it for a VM, or changes it, holds {@code change.lock} for that time; the guard, which keeps the VM
 * alive, holds {@code use.lock}, and takes it while the other is held.
 */
public final class DiskDirectory {
    private static final String RECORD = "disk.json";

    private final Path directory;

    public DiskDirectory(Path directory) {
        this.directory = directory;
    }

    /** Describes the right to change a disk that no VM uses, or to give it to one. */
    public record Claim(DiskDirectory disk, LockFile lock) implements AutoCloseable {
        @Override
        public void close() {
            lock.close();
        }
    }

    public Path path() {
        return directory;
    }

    /** Returns the lock that the guard of the VM with the disk holds. */
    public Path useLock() {
        return directory.resolve("use.lock");
    }

    private Path changeLock() {
        return directory.resolve("change.lock");
    }

    /**
     * Takes the lock of those who change the disk.
     *
     * @throws DiskException.InUse if a VM has it, or another call is changing it
     * @throws DiskException.NotFound if there is no disk, or another call has just deleted it
     */
    public Claim claim() {
        var _ = read();
        Claim claim = new Claim(this, lock().orElseThrow(() -> new DiskException.InUse(directory)));
        try {
            if (LockFile.isHeld(useLock())) {
                throw new DiskException.InUse(directory);
            }
            return claim;
        } catch (RuntimeException e) {
            claim.close();
            throw e;
        }
    }

    private Optional<LockFile> lock() {
        try {
            Optional<LockFile> lock = LockFile.tryLock(changeLock());
            if (lock.isPresent() && !lock.get().isOf(changeLock())) {
                lock.get().close();
                throw new DiskException.NotFound(directory, null);
            }
            return lock;
        } catch (SystemCallException e) {
            if (e.isForWantOfThePath()) {
                throw new DiskException.NotFound(directory, null);
            }
            throw e;
        }
    }

    /** Makes the files of the locks, which are never deleted before the disk is. */
    void makeLocks() throws IOException {
        Files.createFile(useLock());
        Files.createFile(changeLock());
    }

    boolean inUse() {
        return LockFile.isHeld(useLock());
    }

    Optional<DiskRecord> find() {
        if (!Files.exists(directory)) {
            // Most sandboxes have none, and each start asks. Of one that is there and cannot be read the reading tells.
            return Optional.empty();
        }
        try {
            return Optional.of(DiskRecord.read(directory.resolve(RECORD)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /**
     * Reads the record of the disk.
     *
     * @throws DiskException.NotFound if there is no disk
     */
    public DiskRecord read() {
        return find().orElseThrow(() -> new DiskException.NotFound(directory, null));
    }

    public void write(DiskRecord record) {
        try {
            DurableFiles.write(directory.resolve(RECORD), record.json());
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /** Notes that a guest is about to write to it. */
    public void movesOn() {
        DiskRecord record = read();
        if (record.suspension().isPresent()) {
            write(record.movedOn());
        }
    }

    /**
     * Checks that the disk is as of a snapshot.
     *
     * @throws DiskException.MovedOn unless it is as of this snapshot
     */
    public void requireAsOf(SnapshotRef ref) {
        if (!read().isAsOf(ref)) {
            throw new DiskException.MovedOn(directory, ref.name());
        }
    }

    private VmException.Storage unusable(IOException e) {
        return new VmException.Storage(
                "The disk in " + directory + " cannot be used: " + e.getMessage(),
                "Check the disk of the host, and the owner and mode of that directory.",
                e);
    }
}
