package dev.cloche.machine.config;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.LockFile;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** Manages the directories of machines below one base: the files, and never what is in them. Stateless. */
public record MachineDirectories(Path base) {
    public static final String CONFIG = "config.toml";
    /** Locks of ids, and of directories that are being made. */
    public static final String LOCKS = ".locks";
    /** What was taken away and not deleted yet. No name of a machine begins so. */
    private static final String REMOVED = ".removed-";
    /** What is being made and has no name yet. */
    private static final String MAKING = ".making-";

    Path of(MachineName name) {
        return base.resolve(name.value());
    }

    Path config(MachineName name) {
        return of(name).resolve(CONFIG);
    }

    /** Returns the base, which is made if it is missing. */
    Path ensured() {
        try {
            return DurableFiles.ensureDirectory(base);
        } catch (IOException e) {
            throw new MachineException.Storage("The directory " + base + " cannot be made: " + e.getMessage() + ".", e);
        }
    }

    /**
     * Begins to listen for events. Each change of a machine ends with a line in the log of events, which lies here; what is in
     * no log is told by {@link FileSignal#wake}.
     *
     * @throws MachineException.Storage if the base cannot be watched
     */
    public FileSignal listen() {
        try {
            return FileSignal.listen(ensured());
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The directory " + base + " cannot be watched: " + e.getMessage() + ".", e);
        }
    }

    /** Held for every change of a configuration, for milliseconds. */
    Path lock() {
        return base.resolve(".lock");
    }

    /** Returns the directories that hold a configuration, sorted; names that are none are among them. */
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(base)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (!name.startsWith(".") && Files.exists(entry.resolve(CONFIG), LinkOption.NOFOLLOW_LINKS)) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException missing) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    /** @throws NoSuchFileException if there is none */
    static ConfigBytes read(Path config) throws IOException {
        try (InputStream in = Files.newInputStream(config)) {
            byte[] bytes = in.readNBytes(MachineDocument.MAX_BYTES + 1);
            BasicFileAttributes attributes = Files.readAttributes(config, BasicFileAttributes.class);
            Instant made = attributes.creationTime().toInstant();
            Instant written = attributes.lastModifiedTime().toInstant();
            // A copied file keeps the time of its content; one that was made here has the time of its birth.
            return new ConfigBytes(bytes, made.isBefore(written) ? made : written);
        } catch (NotDirectoryException e) {
            throw new NoSuchFileException(config.toString());
        }
    }

    /**
     * Returns the number of a directory in its file system: it stays when the directory is moved, and a copy has another
     * one.
     */
    static long inode(Path directory) throws IOException {
        return (long) Files.getAttribute(directory, "unix:ino");
    }

    /** Returns the path of a new directory that is not a machine yet. */
    Path staging() throws IOException {
        return DurableFiles.ensureDirectory(base).resolve(MAKING + suffix());
    }

    /**
     * Returns the lock file of a staging directory. The process that makes the directory holds the lock, so a sweep can tell it
     * from one that a killed process has left.
     */
    Path lockOf(Path staging) throws IOException {
        return DurableFiles.ensureDirectory(base.resolve(LOCKS)).resolve(String.valueOf(staging.getFileName()));
    }

    /**
     * Gives a made directory its name, durably, with all that its writer forced to disk.
     *
     * @throws FileAlreadyExistsException if there is something of that name
     */
    void publish(Path made, MachineName name) throws IOException {
        move(made, of(name));
    }

    /** @throws FileAlreadyExistsException if there is something of that name */
    void rename(MachineName from, MachineName to) throws IOException {
        move(of(from), of(to));
    }

    /** Moves a directory. The caller holds the lock, so no other process makes the target in between. */
    private void move(Path from, Path to) throws IOException {
        if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(to.toString());
        }
        DurableFiles.publish(from, to);
    }

    /**
     * Takes a machine away at once and whole, and deletes it then.
     *
     * @return whether there was one
     */
    boolean remove(MachineName name) throws IOException {
        Path away = base.resolve(REMOVED + suffix());
        try {
            DurableFiles.publish(of(name), away);
        } catch (NoSuchFileException gone) {
            return false;
        }
        MachineDirectoryRemoval.delete(away);
        return true;
    }

    /** Deletes what killed processes left of removals, and of machines that they were making. Under the lock. */
    void sweep() throws IOException {
        List<Path> left;
        try (Stream<Path> entries = Files.list(base)) {
            left = entries.toList();
        }
        for (Path entry : left) {
            String name = String.valueOf(entry.getFileName());
            if (name.startsWith(REMOVED)) {
                MachineDirectoryRemoval.delete(entry);
            } else if (name.startsWith(MAKING)) {
                sweep(entry);
            }
        }
        sweepLocks();
    }

    /** Returns the names of the locks of ids, also of those that are no machine's any more. */
    List<String> locks() throws IOException {
        List<String> locks = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(base.resolve(LOCKS))) {
            entries.forEach(entry -> locks.add(String.valueOf(entry.getFileName())));
        } catch (NoSuchFileException none) {
            return List.of();
        }
        return locks;
    }

    /** Sweeps locks of directories that a killed process was about to make, or had just removed. */
    private void sweepLocks() throws IOException {
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(base.resolve(LOCKS), MAKING + "*")) {
            for (Path lock : locks) {
                Optional<LockFile> dead = LockFile.tryLock(lock);
                if (dead.isPresent()) {
                    try (LockFile _ = dead.get()) {
                        if (!Files.exists(base.resolve(String.valueOf(lock.getFileName())))) {
                            Files.deleteIfExists(lock);
                        }
                    }
                }
            }
        } catch (NoSuchFileException none) {
            // No machine was ever made.
        }
    }

    private void sweep(Path staging) throws IOException {
        Path lock = lockOf(staging);
        Optional<LockFile> dead = LockFile.tryLock(lock);
        if (dead.isPresent()) {
            try (LockFile _ = dead.get()) {
                MachineDirectoryRemoval.delete(staging);
                Files.deleteIfExists(lock);
            }
        }
    }

    private static String suffix() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }
}
