package dev.cloche.vmm.disk;

import dev.cloche.base.DurableFiles;
import dev.cloche.vm.DiskException;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Persistent disks as directories that come whole or not at all. */
public final class DiskStore implements PersistentDisks {
    private final DiskContents contents;

    public DiskStore(DiskContents contents) {
        this.contents = contents;
    }

    private interface Filling {
        DiskRecord fill(Path draft) throws IOException;
    }

    @Override
    public PersistentDisk create(Path directory, int sizeMiB) {
        DiskRecord record = new DiskRecord(sizeMiB, Optional.empty());
        return build(directory, draft -> {
            contents.make(draft, sizeMiB);
            return record;
        });
    }

    @Override
    public PersistentDisk create(Path directory, SnapshotRef snapshot) {
        if (snapshot.writable() instanceof WritableLayer.InMemory) {
            throw new VmException.Invalid(
                    "Snapshot " + snapshot.name() + " has no disk, because its VM had its writes in memory",
                    "Take it of a VM with a disk.");
        }
        return build(
                directory,
                draft -> new DiskRecord(contents.make(draft, snapshot), Optional.empty()).suspendedAt(snapshot));
    }

    @Override
    public PersistentDisk create(Path directory, Path raw) {
        return build(directory, draft -> new DiskRecord(contents.make(draft, raw), Optional.empty()));
    }

    @Override
    public void flatten(Path directory, Path raw) {
        requireAbsolute(directory);
        try (DiskDirectory.Claim _ = new DiskDirectory(directory).claim()) {
            contents.flatten(directory, raw);
        } catch (IOException e) {
            throw failed("read", directory, e);
        }
    }

    @Override
    public Optional<PersistentDisk> find(Path directory) {
        requireAbsolute(directory);
        DiskDirectory disk = new DiskDirectory(directory);
        return disk.find().map(record -> facts(disk, record));
    }

    @Override
    public PersistentDisk grow(Path directory, int sizeMiB) {
        requireAbsolute(directory);
        try (DiskDirectory.Claim claim = new DiskDirectory(directory).claim()) {
            DiskRecord record = claim.disk().read();
            requireGrowth(record, sizeMiB);
            // In this order: what a crash leaves out is made up for when a VM gets the disk.
            claim.disk().write(record.withSize(sizeMiB));
            contents.grow(directory, sizeMiB);
            return facts(claim.disk(), record.withSize(sizeMiB));
        } catch (IOException e) {
            throw failed("grown", directory, e);
        }
    }

    /**
     * Checks that a disk may get a size.
     *
     * @throws VmException.Invalid if it would shrink, or become too large
     */
    public static void requireGrowth(DiskRecord record, int sizeMiB) {
        WritableLayer.Disk.requireSize(sizeMiB);
        if (sizeMiB < record.sizeMiB()) {
            throw new VmException.Invalid(
                    "A disk of " + record.sizeMiB() + " MiB cannot shrink to " + sizeMiB + " MiB",
                    "Give it at least the size that it has.");
        }
    }

    public static VmException.Invalid noDisk(VmId id) {
        return new VmException.Invalid(
                "VM " + id + " has no persistent disk that could grow", "Start it with one, or with more memory.");
    }

    @Override
    public PersistentDisk copy(Path directory, Path target) {
        requireAbsolute(directory);
        try (DiskDirectory.Claim claim = new DiskDirectory(directory).claim()) {
            return build(target, draft -> {
                contents.copy(directory, draft);
                return claim.disk().read();
            });
        }
    }

    @Override
    public void delete(Path directory) {
        requireAbsolute(directory);
        if (new DiskDirectory(directory).find().isEmpty()) {
            return;
        }
        try (DiskDirectory.Claim _ = new DiskDirectory(directory).claim()) {
            // First out of the way, so that no process ever finds half of it.
            Path away = draft(directory);
            Files.move(directory, away, StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.forceDirectory(parent(directory));
            remove(away);
        } catch (DiskException.NotFound deletedMeanwhile) {
            // As was to be reached.
        } catch (IOException e) {
            throw failed("deleted", directory, e);
        }
    }

    private PersistentDisk build(Path directory, Filling filling) {
        requireAbsolute(directory);
        try {
            if (Files.exists(directory) && !isEmpty(directory)) {
                throw new DiskException.Exists(directory);
            }
            Path draft = draft(directory);
            try {
                DiskDirectory disk = new DiskDirectory(draft);
                disk.makeLocks();
                disk.write(filling.fill(draft));
                DurableFiles.forceDirectory(draft);
                DurableFiles.publishDirectory(draft, directory);
            } catch (Throwable failure) {
                removeAfter(failure, draft);
                throw failure;
            }
        } catch (FileAlreadyExistsException e) {
            throw new DiskException.Exists(directory);
        } catch (IOException e) {
            throw failed("made", directory, e);
        }
        DiskDirectory disk = new DiskDirectory(directory);
        return facts(disk, disk.read());
    }

    private static boolean isEmpty(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            return !entries.iterator().hasNext();
        }
    }

    private static Path draft(Path directory) throws IOException {
        return Files.createTempDirectory(
                parent(directory),
                ".tmp-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static Path parent(Path directory) {
        Path parent = directory.getParent();
        if (parent == null) {
            throw new VmException.Invalid("The root of a file system is no disk's directory", "Choose another one.");
        }
        return parent;
    }

    private static PersistentDisk facts(DiskDirectory disk, DiskRecord record) {
        return new PersistentDisk(
                disk.path(), record.sizeMiB(), disk.inUse(), record.suspension().map(DiskRecord.Suspension::name));
    }

    private static void requireAbsolute(Path directory) {
        var _ = new WritableLayer.Persistent(directory);
    }

    private static void remove(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                Files.delete(entry);
            }
        }
        Files.delete(directory);
    }

    private static void removeAfter(Throwable failure, Path directory) {
        try {
            remove(directory);
        } catch (IOException second) {
            failure.addSuppressed(second);
        }
    }

    private static VmException.Storage failed(String what, Path directory, IOException e) {
        String why = e instanceof FileSystemException known && known.getReason() != null
                ? known.getReason()
                : String.valueOf(e.getMessage());
        return new VmException.Storage(
                "The disk in " + directory + " cannot be " + what + ": " + why,
                "Check the space on that disk of the host, and the owner and mode of the directory.",
                e);
    }
}
