package dev.cloche.execution;

import dev.cloche.linux.DiskReserve;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says where the outputs of executions are: each in a directory that has the name of its process. Processes of any other
 * name than those that are given here have none, because a caller of the registry may choose any text as an id.
 *
 * @param all the directory that they are in
 */
record OutputDirectories(Path all) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ID_BYTES = 8;
    private static final Pattern OURS = Pattern.compile("exec-[0-9a-f]{" + 2 * ID_BYTES + "}");

    /** Returns the reserve of the state root that they are in. */
    DiskReserve reserve() {
        return DiskReserve.in(all.toAbsolutePath().resolveSibling(""));
    }

    /** Returns an id that no execution has had. */
    static String newId() {
        byte[] random = new byte[ID_BYTES];
        RANDOM.nextBytes(random);
        return "exec-" + HexFormat.of().formatHex(random);
    }

    /**
     * Returns the directory of an execution, which need not exist.
     *
     * @throws DurableExecutionException.Invalid if the id was not given here
     */
    Path of(String id) {
        if (!OURS.matcher(id).matches()) {
            throw new DurableExecutionException.Invalid(
                    "The process \"" + id + "\" was not started as a command in a sandbox, and has no output.",
                    "Start commands with cloche.processes().command(…).");
        }
        return all.resolve(id);
    }

    /**
     * Deletes the outputs of executions that are not known any more. Follows no symbolic link, and leaves alone what has a
     * name of any other form.
     *
     * @param known whether there is still a process of that id
     * @throws DurableExecutionException.OutputUnusable of the first that could not be deleted, after all others were
     */
    void sweep(Predicate<String> known) {
        Optional<DurableExecutionException> failed = Optional.empty();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(
                all, entry -> OURS.matcher(entry.getFileName().toString()).matches())) {
            for (Path directory : directories) {
                if (!known.test(directory.getFileName().toString())) {
                    Optional<DurableExecutionException> failure = delete(directory);
                    failed = failed.or(() -> failure);
                }
            }
        } catch (NoSuchFileException nothingWasEverDriven) {
            return;
        } catch (IOException e) {
            throw new DurableExecutionException.OutputUnusable(all, e);
        }
        failed.ifPresent(failure -> {
            throw failure;
        });
    }

    /** Deletes one; returns why it could not be deleted. */
    private static Optional<DurableExecutionException> delete(Path directory) {
        try {
            // A link in its place is a file to the walk.
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
            return Optional.empty();
        } catch (NoSuchFileException otherProgramWasFaster) {
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(new DurableExecutionException.OutputUnusable(directory, e));
        }
    }
}
