package dev.cloche.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Works on whole directories. */
final class Directories {
    private Directories() {}

    /** Lets every user of the machine read what was made, with any umask of its maker. */
    static void makeReadable(Path root) throws IOException {
        for (Path path : tree(root)) {
            String permissions = Files.isDirectory(path) ? "rwxr-xr-x" : "rw-r--r--";
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }

    /**
     * Deletes the generations that are not started any more. The one before the current stays, for programs that read
     * {@code dist/current} just now, and every one that a running program was started from, because a JVM opens its
     * jars as late as it needs them.
     */
    static void deleteUnused(Path apps, Current current, Current before) throws IOException {
        String running = commandLines();
        for (Path app : children(apps)) {
            String digest = app.getFileName().toString();
            boolean used = digest.equals(current.digest())
                    || before != null && digest.equals(before.digest())
                    || running.contains(digest);
            if (Files.isDirectory(app) && !used) {
                delete(app);
            }
        }
    }

    static void delete(Path root) throws IOException {
        if (Files.exists(root)) {
            for (Path path : tree(root).reversed()) {
                Files.delete(path);
            }
        }
    }

    private static String commandLines() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path process : children(Path.of("/proc"))) {
            if (Character.isDigit(process.getFileName().toString().charAt(0))) {
                try {
                    all.append(Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                    // It ended in the meantime.
                }
            }
        }
        return all.toString();
    }

    private static List<Path> children(Path directory) throws IOException {
        try (Stream<Path> children = Files.list(directory)) {
            return children.toList();
        }
    }

    private static List<Path> tree(Path root) throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.sorted(Comparator.naturalOrder()).toList();
        }
    }
}
