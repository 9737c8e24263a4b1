package dev.cloche.base;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The one way in which Cloche writes files that must survive a crash: a temporary file in the same directory, fsync,
 * rename, fsync of the directory. A reader sees the old content or the new, never a part.
 *
 * <p>Stateless and safe for use from several threads and processes. Files are created 0600 and directories 0700.
 */
public final class DurableFiles {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final int NAMING_ATTEMPTS = 20;

    private DurableFiles() {}

    /**
     * Replaces the content of {@code target} durably.
     *
     * @throws IOException if the disk is full or the directory is missing; the old content is then untouched and no
     *     temporary file is left
     */
    public static void write(Path target, byte[] content) throws IOException {
        Path temporary = temporaryBeside(target);
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer left = ByteBuffer.wrap(content);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true);
            }
            publish(temporary, target);
        } catch (Throwable failure) {
            deleteAfter(failure, temporary);
            throw failure;
        }
    }

    /**
     * Returns an empty file of mode 0600 in the directory of {@code target}, to be filled, forced to disk and then handed to
     * {@link #publish}. Its name begins with {@code .tmp-}, so that leftovers of a crash are recognised.
     */
    public static Path temporaryBeside(Path target) throws IOException {
        return Files.createTempFile(directoryOf(target), ".tmp-", "-" + target.getFileName(), OWNER_FILE);
    }

    /**
     * Makes a file of mode 0600 and opens it for writing.
     *
     * @throws FileAlreadyExistsException if there is one of that name
     */
    public static FileChannel create(Path file) throws IOException {
        return FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_FILE);
    }

    /** Forces the content of a written file to disk, before it is published. */
    public static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /**
     * Gives a file, whose content its writer has already forced to disk, its final name, durably.
     *
     * @throws IOException if the rename or the fsync of the directory failed
     */
    public static void publish(Path temporary, Path target) throws IOException {
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("a temporary file must be in the directory of its target: " + temporary, e);
        }
        forceDirectory(directoryOf(target));
    }

    /**
     * Does what {@link #publish} does, but never replaces a file.
     *
     * @throws FileAlreadyExistsException if there is one of that name; the temporary file then stays
     */
    public static void publishNew(Path temporary, Path target) throws IOException {
        try {
            Files.createLink(target, temporary);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (FileSystemException | UnsupportedOperationException noLinks) {
            // File systems of removable disks have no second names; there, two programs at once could race.
            if (Files.exists(target)) {
                throw new FileAlreadyExistsException(target.toString());
            }
            publish(temporary, target);
            return;
        }
        Files.delete(temporary);
        forceDirectory(directoryOf(target));
    }

    /**
     * Gives a directory, whose files are on the disk already, its name. An empty directory of that name is replaced.
     *
     * @throws FileAlreadyExistsException if something else is there, also if another was faster; the directory then stays
     */
    public static void publishDirectory(Path directory, Path target) throws IOException {
        boolean named = false;
        for (int attempt = 1; !named; attempt++) {
            try {
                Files.move(directory, target, StandardCopyOption.ATOMIC_MOVE);
                named = true;
            } catch (AccessDeniedException | NoSuchFileException e) {
                throw e;
            } catch (FileSystemException e) {
                // The platform has no exception for a directory that is not empty.
                if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(target.toString());
                }
                // What was in the way may have gone since; any other reason stays.
                if (attempt == NAMING_ATTEMPTS) {
                    throw e;
                }
            }
        }
        forceDirectory(directoryOf(target));
    }

    /** Makes the names in a directory (creations, renames, removals) durable. */
    public static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Creates a directory of mode 0700 with its missing parents; an existing one is left as it is. Others may make and
     * remove this directory meanwhile, but not its parents.
     */
    public static Path ensureDirectory(Path directory) throws IOException {
        while (!Files.isDirectory(directory)) {
            try {
                return createDirectory(directory);
            } catch (FileAlreadyExistsException raced) {
                requireNoOther(directory, raced);
            }
        }
        return directory;
    }

    private static Path createDirectory(Path directory) throws IOException {
        try {
            return Files.createDirectory(directory, OWNER_DIRECTORY);
        } catch (NoSuchFileException noParent) {
            Path parent = directory.toAbsolutePath().getParent();
            if (parent == null) {
                throw noParent;
            }
            ensureDirectory(parent);
            return Files.createDirectory(directory, OWNER_DIRECTORY);
        }
    }

    /** Fails if something else is there; a directory, or nothing any more, is a matter of looking again. */
    private static void requireNoOther(Path directory, FileAlreadyExistsException raced) throws IOException {
        try {
            if (!Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                            .isDirectory()
                    && !Files.isDirectory(directory)) {
                throw raced;
            }
        } catch (NoSuchFileException gone) {
            // Made and removed by another.
        }
    }

    /** Removes {@code leftover} while {@code failure} is on its way to the caller; a second failure is suppressed in it. */
    public static void deleteAfter(Throwable failure, Path leftover) {
        try {
            Files.deleteIfExists(leftover);
        } catch (IOException second) {
            failure.addSuppressed(second);
        }
    }

    private static Path directoryOf(Path target) {
        Path parent = target.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("a file system's root is no file: " + target);
        }
        return parent;
    }
}
