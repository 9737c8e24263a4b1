package dev.cloche.qemu.snapshot;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Stores the snapshots of a state root: a directory each, below {@code snapshots/} (docs/on-disk.md). It gets its name by a
 * rename when it is whole and on the disk; what is being written, or deleted, is called {@code .tmp-…}.
 *
 * <p>A user of a snapshot holds its lock shared, a process that writes or deletes it holds the lock exclusively. Safe for
 * use from several threads and processes.
 */
public final class QemuSnapshotStore {
    static final String LOCK = "lock";
    private static final String UNFINISHED = ".tmp-";
    /** Of a directory whose maker has not even made the lock: that takes microseconds. */
    private static final Duration LONG_DEAD = Duration.ofMinutes(1);

    private final Path root;

    public QemuSnapshotStore(Path root) {
        this.root = root;
    }

    public Path directory(SnapshotName name) {
        return root.resolve(name.value());
    }

    Path lock(SnapshotName name) {
        return directory(name).resolve(LOCK);
    }

    /** A directory that is being filled, under its exclusive lock. Closing it without publishing removes it. */
    final class Draft implements AutoCloseable {
        private final Path directory;
        private final LockFile lock;
        private boolean published;

        private Draft(Path directory, LockFile lock) {
            this.directory = directory;
            this.lock = lock;
        }

        Path directory() {
            return directory;
        }

        /**
         * The files in it are on the disk already.
         *
         * @throws SnapshotException.Exists if another was faster
         */
        void publish(SnapshotName name) throws IOException {
            DurableFiles.forceDirectory(directory);
            if (Files.exists(QemuSnapshotStore.this.directory(name), LinkOption.NOFOLLOW_LINKS)) {
                throw new SnapshotException.Exists(name);
            }
            try {
                DurableFiles.publishDirectory(directory, QemuSnapshotStore.this.directory(name));
            } catch (FileAlreadyExistsException another) {
                throw new SnapshotException.Exists(name);
            }
            published = true;
        }

        @Override
        public void close() {
            try (lock) {
                if (!published) {
                    removeAll(directory);
                }
            } catch (IOException e) {
                System.getLogger(QemuSnapshotStore.class.getName())
                        .log(System.Logger.Level.WARNING, "an unfinished snapshot stays in " + directory, e);
            }
        }
    }

    Draft draft() throws IOException {
        DurableFiles.ensureDirectory(root);
        while (true) {
            Path directory = Files.createTempDirectory(root, UNFINISHED);
            Optional<LockFile> lock = LockFile.tryLock(directory.resolve(LOCK));
            if (lock.isPresent()) {
                return new Draft(directory, lock.get());
            }
            // A sweep was faster by an instant, and removes it.
        }
    }

    /** Returns the names of all that are whole, or look like it. */
    public List<SnapshotName> names() {
        return entries().stream()
                .map(entry -> entry.getFileName().toString())
                .filter(SnapshotName::isValid)
                .sorted()
                .map(SnapshotName::new)
                .toList();
    }

    List<SnapshotManifest> list() {
        List<SnapshotManifest> found = new ArrayList<>();
        for (SnapshotName name : names()) {
            try {
                read(name).ifPresent(found::add);
            } catch (SnapshotException.Damaged e) {
                System.getLogger(QemuSnapshotStore.class.getName()).log(System.Logger.Level.WARNING, e.getMessage());
            }
        }
        found.sort((a, b) -> a.ref().name().compareTo(b.ref().name()));
        return found;
    }

    /**
     * Reads the manifest of a snapshot; empty if there is none of that name.
     *
     * @throws SnapshotException.Damaged if it is not whole
     */
    public Optional<SnapshotManifest> read(SnapshotName name) {
        Path directory = directory(name);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            SnapshotManifest manifest = SnapshotManifest.read(directory);
            if (!manifest.ref().name().equals(name)) {
                throw new SnapshotException.Damaged(name, "its manifest is of another one", null);
            }
            return Optional.of(manifest);
        } catch (IOException e) {
            if (!Files.exists(directory)) {
                return Optional.empty();
            }
            throw new SnapshotException.Damaged(name, SnapshotManifest.FILE + ": " + e.getMessage(), e);
        }
    }

    /**
     * Takes the shared lock, under which the snapshot stays. Empty if it is gone or going.
     *
     * @throws VmException.Storage if the lock cannot be opened
     */
    public Optional<LockFile> hold(SnapshotName name) {
        try {
            return Files.isDirectory(directory(name), LinkOption.NOFOLLOW_LINKS)
                    ? current(name, LockFile::tryShared)
                    : Optional.empty();
        } catch (SystemCallException e) {
            if (e.isForWantOfThePath()) {
                return Optional.empty();
            }
            throw failed("The lock of snapshot " + name + " cannot be opened", e);
        }
    }

    /**
     * Deletes it; false if it is used.
     *
     * @throws SnapshotException.NotFound if there is none
     */
    boolean delete(SnapshotName name) {
        if (!Files.isDirectory(directory(name), LinkOption.NOFOLLOW_LINKS)) {
            throw new SnapshotException.NotFound(name);
        }
        try {
            Optional<LockFile> lock = current(name, LockFile::tryLock);
            if (lock.isEmpty()) {
                return false;
            }
            try (LockFile _ = lock.get()) {
                Path going = Files.createTempDirectory(root, UNFINISHED);
                Files.move(directory(name), going, StandardCopyOption.ATOMIC_MOVE);
                DurableFiles.forceDirectory(root);
                removeAll(going);
            }
            return true;
        } catch (NoSuchFileException e) {
            throw new SnapshotException.NotFound(name);
        } catch (SystemCallException e) {
            if (e.isForWantOfThePath()) {
                throw new SnapshotException.NotFound(name);
            }
            throw failed("Snapshot " + name + " cannot be deleted", e);
        } catch (IOException e) {
            throw failed("Snapshot " + name + " cannot be deleted", e);
        }
    }

    /**
     * Takes a lock of the snapshot that has the name now: the one whose lock was opened may be deleted before it is locked, and
     * another published.
     */
    private Optional<LockFile> current(SnapshotName name, Function<Path, Optional<LockFile>> taking) {
        Path file = lock(name);
        Optional<LockFile> lock = taking.apply(file);
        while (lock.isPresent() && !lock.get().isOf(file)) {
            lock.get().close();
            lock = taking.apply(file);
        }
        return lock;
    }

    /** Removes what killed processes have left. */
    void sweep() {
        for (Path entry : entries()) {
            if (entry.getFileName().toString().startsWith(UNFINISHED)) {
                try {
                    sweep(entry);
                } catch (IOException | SystemCallException e) {
                    System.getLogger(QemuSnapshotStore.class.getName())
                            .log(System.Logger.Level.DEBUG, "an unfinished snapshot stays in " + entry, e);
                }
            }
        }
    }

    private static void sweep(Path unfinished) throws IOException {
        Path lock = unfinished.resolve(LOCK);
        if (!Files.exists(lock)) {
            Instant made = Files.getLastModifiedTime(unfinished).toInstant();
            if (made.plus(LONG_DEAD).isBefore(Instant.now())) {
                removeAll(unfinished);
            }
            return;
        }
        Optional<LockFile> abandoned = LockFile.tryLock(lock);
        if (abandoned.isPresent()) {
            try (LockFile _ = abandoned.get()) {
                removeAll(unfinished);
            }
        }
    }

    private List<Path> entries() {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            entries.forEach(found::add);
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw failed("The snapshots in " + root + " cannot be listed", e);
        }
        return found;
    }

    /** The lock goes last, so that a half-removed directory is still swept. */
    private static void removeAll(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (!entry.getFileName().toString().equals(LOCK)) {
                    Files.deleteIfExists(entry);
                }
            }
        } catch (NoSuchFileException gone) {
            return;
        }
        Files.deleteIfExists(directory.resolve(LOCK));
        Files.deleteIfExists(directory);
    }

    private static VmException.Storage failed(String what, Exception e) {
        return new VmException.Storage(
                what + ": " + e.getMessage(), "Check the owner and mode of that directory and its disk.", e);
    }
}
