package dev.cloche.sandbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Says what is recorded of a snapshot.
 *
 * @param id never used again, also after it is removed
 * @param name empty of one that only a fork needs, and of one that is going
 * @param source the name that its sandbox had
 * @param image as it was asked for
 * @param manifest digest of the image, which it holds
 * @param diskMib size of the writable disk; empty if the sandbox wrote to its memory
 * @param network whether the sandbox had one
 * @param prepared whether it is a template that was prepared, and has a recipe
 * @param pause how long the sandbox was halted for it; empty if it did not run
 */
public record SandboxSnapshot(
        long id,
        Optional<String> name,
        SnapshotStatus status,
        Contents contents,
        String source,
        String image,
        String manifest,
        int memoryMib,
        int cpus,
        OptionalInt diskMib,
        boolean network,
        boolean prepared,
        Optional<Duration> pause,
        Instant createdAt) {
    /** Says what a snapshot has of its sandbox. */
    public enum Contents {
        /** Its memory and its disk, as of one moment; what is restored goes on. */
        MEMORY,
        /** Its disk; what is restored boots. */
        DISK
    }
}
