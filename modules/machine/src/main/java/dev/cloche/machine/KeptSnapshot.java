package dev.cloche.machine;

import java.time.Instant;

/**
 * Describes a snapshot of a machine.
 *
 * @param memory whether the memory was kept too
 * @param takenAt by the clock of this host
 */
public record KeptSnapshot(MachineName name, boolean memory, Instant takenAt) {}
