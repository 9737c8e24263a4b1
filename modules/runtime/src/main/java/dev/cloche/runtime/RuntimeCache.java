package dev.cloche.runtime;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.FileStamp;
import dev.cloche.linux.FastSha256;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Function;

/**
 * Keeps one runtime unpacked, in a directory named by its digest. Each file is written beside its name, forced to disk and
 * renamed; last comes {@code unpacked}, the stamps of all files. So a process that dies leaves either all, or what the next one
 * goes on with; that one waits for the lock. {@link RuntimeSweep} removes those that nothing needs any more.
 */
final class RuntimeCache {
    static final String STAMPS = "unpacked";
    static final String LOCK = ".lock";
    /** More than unpacking takes on a host that is far too busy. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int BUFFER = 64 * 1024;

    private final Path cache;
    private final RuntimeIndex index;
    private final Function<RuntimeIndex.Entry, InputStream> contents;

    /**
     * @param cache where all runtimes of this user are
     * @param contents opens a file of the artefact
     */
    RuntimeCache(Path cache, RuntimeIndex index, Function<RuntimeIndex.Entry, InputStream> contents) {
        this.cache = cache;
        this.index = index;
        this.contents = contents;
    }

    /** Returns the directory of the runtime, unpacked. */
    Path directory(Deadline deadline) {
        try {
            Path directory = place();
            if (!isWhole(directory)) {
                unpack(directory, true, deadline.orAfter(PATIENCE));
            }
            requireExecutable(directory);
            return directory;
        } catch (IOException | SystemCallException e) {
            throw new RuntimeUnusable.Storage(cache, e);
        }
    }

    /** Believes digests alone, and returns whether a file was written anew. */
    boolean mend(Deadline deadline) {
        try {
            Path directory = place();
            boolean written = unpack(directory, false, deadline.orAfter(PATIENCE));
            requireExecutable(directory);
            return written;
        } catch (IOException | SystemCallException e) {
            throw new RuntimeUnusable.Storage(cache, e);
        }
    }

    private Path place() throws IOException {
        return TrustedDirectory.ensure(cache).resolve(index.digest());
    }

    private boolean isWhole(Path directory) throws IOException {
        try {
            return Files.readString(directory.resolve(STAMPS)).equals(stamps(directory));
        } catch (NoSuchFileException missing) {
            return false;
        }
    }

    private String stamps(Path directory) throws IOException {
        StringBuilder stamps = new StringBuilder();
        for (RuntimeIndex.Entry entry : index.entries()) {
            FileStamp stamp = FileStamp.of(entry.in(directory));
            stamps.append(stamp.state()).append(' ').append(entry.path()).append('\n');
        }
        return stamps.toString();
    }

    /** Returns whether it has written a file. */
    private boolean unpack(Path directory, boolean stampsAreBelieved, Deadline deadline) throws IOException {
        try (LockFile _ = lock(directory, deadline)) {
            if (stampsAreBelieved && isWhole(directory)) {
                // By the process that had the lock before.
                return false;
            }
            boolean written = false;
            removeUnfinished(directory);
            for (RuntimeIndex.Entry entry : index.entries()) {
                Path file = entry.in(directory);
                removeUnfinished(TrustedDirectory.ensure(file.resolveSibling("")));
                if (!isAsBuilt(entry, file)) {
                    write(entry, file);
                    written = true;
                }
            }
            DurableFiles.write(directory.resolve(STAMPS), stamps(directory).getBytes(StandardCharsets.US_ASCII));
            return written;
        }
    }

    private LockFile lock(Path directory, Deadline deadline) throws IOException {
        try {
            while (true) {
                Path path = TrustedDirectory.ensure(directory).resolve(LOCK);
                LockFile lock = LockFile.lock(path, deadline)
                        .orElseThrow(() -> new RuntimeUnusable.Busy(cache, "another process was still unpacking it"));
                if (lock.isOf(path)) {
                    return lock;
                }
                // A sweep has removed the directory that it was in.
                lock.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeUnusable.Busy(cache, "this thread was interrupted while another process unpacked it");
        }
    }

    /** Removes what a process left that was killed; all that write here have the lock. */
    private static void removeUnfinished(Path directory) throws IOException {
        try (DirectoryStream<Path> temporary = Files.newDirectoryStream(directory, ".tmp-*")) {
            for (Path each : temporary) {
                Files.deleteIfExists(each);
            }
        }
    }

    private static boolean isAsBuilt(RuntimeIndex.Entry entry, Path file) throws IOException {
        return Files.isRegularFile(file)
                && Files.size(file) == entry.size()
                && Files.isExecutable(file) == entry.executable()
                && Sha256.of(file).equals(entry.sha256());
    }

    private void write(RuntimeIndex.Entry entry, Path file) throws IOException {
        Path temporary = DurableFiles.temporaryBeside(file);
        try {
            copy(entry, temporary);
            Files.setPosixFilePermissions(
                    temporary, PosixFilePermissions.fromString(entry.executable() ? "rwxr-xr-x" : "rw-r--r--"));
            DurableFiles.force(temporary);
            DurableFiles.publish(temporary, file);
        } catch (Throwable failure) {
            Files.deleteIfExists(temporary);
            throw failure;
        }
    }

    private void copy(RuntimeIndex.Entry entry, Path to) throws IOException {
        MessageDigest digest = FastSha256.fastest();
        byte[] buffer = new byte[BUFFER];
        long left = entry.size();
        try (InputStream in = contents.apply(entry);
                OutputStream out = Files.newOutputStream(to)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                left -= read;
                if (left < 0) {
                    break;
                }
                digest.update(buffer, 0, read);
                out.write(buffer, 0, read);
            }
        }
        if (left != 0 || !HexFormat.of().formatHex(digest.digest()).equals(entry.sha256())) {
            throw new RuntimeUnusable.Damaged(
                    "the contents of " + entry.path() + " are not those that its index lists");
        }
    }

    private void requireExecutable(Path directory) {
        for (RuntimeIndex.Entry entry : index.entries()) {
            if (entry.executable() && !Files.isExecutable(entry.in(directory))) {
                throw new RuntimeUnusable.NotExecutable(entry.in(directory));
            }
        }
    }
}
