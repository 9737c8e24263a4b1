package dev.cloche;

import dev.cloche.sandbox.SandboxSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Tells what is recorded of a snapshot that can be restored.
 *
 * <pre>{@code
 * cloche.snapshots().list().forEach(snapshot -> System.out.println(snapshot.name() + " of " + snapshot.sandbox()));
 * }</pre>
 *
 * @param contents memory and disk, or the disk alone
 * @param sandbox the name that its sandbox had
 * @param image as its sandbox was started from it
 * @param digest of the image's manifest, which stays here as long as the snapshot
 * @param diskMib what the guest sees of its disk, in MiB; empty if it writes to its memory
 * @param network whether its sandbox had one, and what is restored has one
 * @param prepared whether it is a template that was {@linkplain Templates#prepare prepared}
 * @param pause how long its sandbox was halted for it; empty if that did not run
 */
public record SnapshotInfo(
        String name,
        SandboxSnapshot.Contents contents,
        String sandbox,
        String image,
        String digest,
        int memoryMib,
        int cpus,
        OptionalInt diskMib,
        boolean network,
        boolean prepared,
        Optional<Duration> pause,
        Instant createdAt) {
    static SnapshotInfo of(SandboxSnapshot snapshot) {
        return new SnapshotInfo(
                snapshot.name().orElse(""),
                snapshot.contents(),
                snapshot.source(),
                snapshot.image(),
                snapshot.manifest(),
                snapshot.memoryMib(),
                snapshot.cpus(),
                snapshot.diskMib(),
                snapshot.network(),
                snapshot.prepared(),
                snapshot.pause(),
                snapshot.createdAt());
    }
}
