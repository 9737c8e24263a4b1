package dev.cloche.process;

import java.time.Instant;

/**
 * What stays of a process that was pruned.
 *
 * @param fence the highest that was ever given for the id
 */
public record Tombstone(String id, long fence, Instant prunedAt) {}
