package dev.cloche.qemu.guard;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** When a published port of a VM was last used, as the relay before its network notes it (docs/guard.md). */
public final class TrafficRecord {
    private static final String FILE = "traffic";

    private TrafficRecord() {}

    /** Returns how long ago a published port was used; empty if none was. */
    public static Optional<Duration> sinceUse(Path directory) throws IOException {
        byte[] note;
        try {
            note = Files.readAllBytes(directory.resolve(FILE));
        } catch (NoSuchFileException noNetwork) {
            return Optional.empty();
        }
        if (note.length < Long.BYTES) {
            return Optional.empty();
        }
        // System.nanoTime() is CLOCK_MONOTONIC, as the relay's clock is.
        long ago = System.nanoTime()
                - TimeUnit.MILLISECONDS.toNanos(ByteBuffer.wrap(note).getLong());
        return Optional.of(Duration.ofNanos(Math.max(0, ago)));
    }
}
