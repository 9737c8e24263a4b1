package dev.cloche.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The program of the npm package {@code microsandbox}, where the system property {@code msb} names it. */
final class Peer {
    private Peer() {}

    static Optional<String> msb() {
        return Optional.ofNullable(System.getProperty("msb")).filter(path -> Files.isExecutable(Path.of(path)));
    }
}
