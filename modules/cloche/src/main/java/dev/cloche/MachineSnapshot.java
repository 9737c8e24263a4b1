package dev.cloche;

import java.time.Instant;

/**
 * A snapshot of a machine.
 *
 * @param memory whether its memory was kept too: the next start after a restore continues from it
 * @param takenAt by the clock of this host
 */
public record MachineSnapshot(String name, boolean memory, Instant takenAt) {}
