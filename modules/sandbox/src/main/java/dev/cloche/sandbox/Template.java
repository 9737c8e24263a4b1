package dev.cloche.sandbox;

import dev.cloche.vm.SnapshotRef;
import java.time.Instant;
import java.util.Optional;

/**
 * Describes a template: a booted guest of an image and a size, to be restored in place of a boot.
 *
 * @param image digest of its image's manifest, if it is told
 * @param lastUsedAt when a sandbox was last started from it, or it was made
 * @param usable whether its disk is still there
 */
public record Template(
        String name,
        Optional<String> image,
        int memoryMib,
        int cpus,
        Instant createdAt,
        Instant lastUsedAt,
        boolean usable) {
    public static Template of(SnapshotRef taken, Instant lastUsedAt, boolean usable) {
        return new Template(
                taken.name().value(),
                taken.rootDisk().contents(),
                taken.memoryMiB(),
                taken.cpus(),
                taken.createdAt(),
                lastUsedAt,
                usable);
    }
}
