package dev.cloche.linux;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Decides where libraries of other projects unpack their native parts. Each JVM has a directory of its own, and holds a lock
 * on it as long as it lives; the next JVM removes those whose lock is free, since a JVM that is killed removes nothing itself.
 * Safe for use from several threads and processes.
 */
public final class LibraryDirectory {
    /** What an application may have set itself, and then keeps. */
    private static final List<String> PROPERTIES = List.of("org.sqlite.tmpdir", "ZstdTempFolder");

    private static final String PREFIX = "cloche-native-";
    /** It gets its name when its lock is held, so that none is taken for one that was left. */
    private static final String UNFINISHED = ".cloche-native-";

    private static final Duration UNFINISHED_LIMIT = Duration.ofHours(1);
    private static final String LOCK = "lock";

    private static final FileAttribute<Set<PosixFilePermission>> OWNERS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** The lock of this JVM's directory; never closed. */
    private static final List<LockFile> HELD = new ArrayList<>();

    private LibraryDirectory() {}

    /** Says whether native libraries can be unpacked to a directory. */
    public enum Fitness {
        FIT,
        /** No file can be made there, or there is no such directory. */
        NOT_WRITABLE,
        /** Its file system is mounted {@code noexec}. */
        NOT_EXECUTABLE
    }

    /** Tries whether native libraries can be unpacked to a directory, with a file that is gone afterwards. */
    public static Fitness fitness(Path directory) {
        try {
            Path probe = Files.createTempFile(directory, UNFINISHED, "", OWNERS_ALONE);
            try {
                return Files.isExecutable(probe) ? Fitness.FIT : Fitness.NOT_EXECUTABLE;
            } finally {
                Files.deleteIfExists(probe);
            }
        } catch (IOException e) {
            return Fitness.NOT_WRITABLE;
        }
    }

    /** Returns whether the application, or an earlier call of {@link #use}, has said where each library is unpacked. */
    public static boolean isChosen() {
        return PROPERTIES.stream().allMatch(name -> System.getProperty(name) != null);
    }

    /** Returns where a library that failed to load was unpacked to, as far as one can say. */
    static String current() {
        return PROPERTIES.stream()
                .flatMap(name -> Optional.ofNullable(System.getProperty(name)).stream())
                .findFirst()
                .orElseGet(() -> System.getProperty("java.io.tmpdir", ""));
    }

    /**
     * Has libraries that are loaded from now on unpacked to a new directory in {@code temporary}, as far as the application has
     * not said where; and removes there the directories of JVMs that are gone.
     *
     * @throws IOException if the directory cannot be made
     */
    public static synchronized void use(Path temporary) throws IOException {
        if (isChosen()) {
            return;
        }
        sweep(temporary);
        Path directory = make(temporary);
        for (String name : PROPERTIES) {
            if (System.getProperty(name) == null) {
                System.setProperty(name, directory.toString());
            }
        }
    }

    private static Path make(Path temporary) throws IOException {
        Path unfinished = Files.createTempDirectory(temporary, UNFINISHED, OWNERS_ALONE);
        HELD.add(LockFile.tryLock(unfinished.resolve(LOCK))
                .orElseThrow(() -> new IOException(unfinished + " is in use by another process")));
        return Files.move(unfinished, temporary.resolve(PREFIX + UUID.randomUUID()));
    }

    /** Removes what processes have left; what resists stays. */
    static void sweep(Path temporary) throws IOException {
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        try (DirectoryStream<Path> all = Files.newDirectoryStream(temporary, "{,.}" + PREFIX + "*")) {
            for (Path each : all) {
                try {
                    if (isOurs(each, user) && isLeft(each)) {
                        remove(each);
                    }
                } catch (IOException | SystemCallException resists) {
                    System.getLogger(LibraryDirectory.class.getName())
                            .log(System.Logger.Level.DEBUG, each + " stays", resists);
                }
            }
        }
    }

    private static boolean isOurs(Path directory, Object user) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                        .equals(user);
    }

    private static boolean isLeft(Path directory) throws IOException {
        if (directory.getFileName().toString().startsWith(".")) {
            Instant changed = Files.getLastModifiedTime(directory).toInstant();
            return changed.isBefore(Instant.now().minus(UNFINISHED_LIMIT));
        }
        return !LockFile.isHeld(directory.resolve(LOCK));
    }

    private static void remove(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }
}
