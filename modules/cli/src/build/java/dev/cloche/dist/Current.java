package dev.cloche.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The file {@code dist/current}, which the launcher reads with nothing but a shell's built-in commands: one line each
 * for the generation's digest, the JDK's home and the names of the jars in the order of the class path.
 */
record Current(String digest, Path java, List<String> classPath) {
    /** The one that is published now; null if there is none or it was written by another version of this program. */
    static Current read(Path dist) throws IOException {
        try {
            List<String> lines = Files.readAllLines(dist.resolve("current"));
            return lines.size() == 3
                    ? new Current(
                            lines.get(0),
                            Path.of(lines.get(1)),
                            List.of(lines.get(2).split(" ")))
                    : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void write(Path dist) throws IOException {
        Path next = dist.resolve(".current.new");
        Files.writeString(next, digest + "\n" + java + "\n" + String.join(" ", classPath) + "\n");
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
        Files.move(next, dist.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
    }
}
