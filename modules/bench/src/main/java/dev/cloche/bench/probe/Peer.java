package dev.cloche.bench.probe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the program of the npm package {@code microsandbox}, where the system property {@code msb} names it. */
public final class Peer {
    private Peer() {}

    public static Optional<String> msb() {
        return Optional.ofNullable(System.getProperty("msb")).filter(path -> Files.isExecutable(Path.of(path)));
    }
}
