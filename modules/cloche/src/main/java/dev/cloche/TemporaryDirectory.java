package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LibraryDirectory;
import dev.cloche.linux.LibraryDirectory.Fitness;
import dev.cloche.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Decides where SQLite and zstd unpack their native libraries; before the first of them is loaded. */
final class TemporaryDirectory {
    /** The directory in the state root for hosts on whose own no program can run. */
    private static final String IN_STATE_ROOT = "tmp";

    private TemporaryDirectory() {}

    /**
     * Returns whether they go to the directory that the JVM names: none was named for us, and that can be written and executed;
     * or the application has said where they go.
     */
    static boolean isThatOfTheJvm(Optional<Path> named) {
        return named.isEmpty() && (LibraryDirectory.isChosen() || LibraryDirectory.fitness(ofTheJvm()) == Fitness.FIT);
    }

    private static Path ofTheJvm() {
        return Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    }

    /**
     * Has libraries that are loaded later unpacked to the place that was named, or to one in the state root if the JVM's cannot
     * be used.
     *
     * @throws HostException.TemporaryUnusable if a place was named and cannot be used
     */
    static void choose(Optional<Path> named, Path root) {
        if (isThatOfTheJvm(named)) {
            return;
        }
        if (named.isPresent()) {
            require(named.get());
        } else {
            chooseIn(root);
        }
    }

    private static void require(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                DurableFiles.ensureDirectory(directory);
            }
            switch (LibraryDirectory.fitness(directory)) {
                case FIT -> LibraryDirectory.use(directory);
                case NOT_EXECUTABLE ->
                    throw new HostException.TemporaryUnusable(
                            directory, "is mounted noexec, and programs are unpacked to it");
                case NOT_WRITABLE ->
                    throw new HostException.TemporaryUnusable(directory, "cannot be written by this user");
            }
        } catch (IOException | LinuxException e) {
            throw new HostException.TemporaryUnusable(directory, "cannot be used: " + ClocheException.sentenceOf(e));
        }
    }

    /** What fails here, a library that cannot be unpacked says better when it is loaded. */
    private static void chooseIn(Path root) {
        try {
            LibraryDirectory.use(DurableFiles.ensureDirectory(root.resolve(IN_STATE_ROOT)));
        } catch (IOException | LinuxException e) {
            System.getLogger(Cloche.class.getName())
                    .log(System.Logger.Level.DEBUG, "libraries are not unpacked to the state root", e);
        }
    }
}
