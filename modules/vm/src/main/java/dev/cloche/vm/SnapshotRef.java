package dev.cloche.vm;

import java.time.Instant;

/**
 * Describes a snapshot of the store, with what every VM that is restored from it is made of.
 *
 * @param createdAt when it was taken; tells it apart from a later one of the same name
 * @param outputLog whether what the main execution of a clone writes can be logged, because its VM had the port for it
 * @param network whether its VM had a network device, and its clones have one
 */
public record SnapshotRef(
        SnapshotName name,
        Kind kind,
        Instant createdAt,
        int memoryMiB,
        int cpus,
        RootDisk rootDisk,
        WritableLayer writable,
        boolean outputLog,
        boolean network) {
    /** Returns what one of the same content says of itself under another name. */
    public SnapshotRef copied(SnapshotName to, Instant at) {
        return new SnapshotRef(to, kind, at, memoryMiB, cpus, rootDisk, writable, outputLog, network);
    }

    /** Says how its memory is kept. */
    public enum Kind {
        /** Taken of a template's maker: a file that every clone maps, so a restore takes the same time for any size. */
        MAPPED,
        /** Taken of a VM that lives on: a stream that every clone reads as a whole. */
        STREAMED
    }
}
