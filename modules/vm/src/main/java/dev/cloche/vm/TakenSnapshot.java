package dev.cloche.vm;

import java.time.Duration;

/**
 * Describes a snapshot that was just taken.
 *
 * @param pause how long its guest was halted for it, from before QEMU was told to halt it to after it was told to go on; zero of
 *     one that was halted already
 */
public record TakenSnapshot(SnapshotRef ref, Duration pause) {}
