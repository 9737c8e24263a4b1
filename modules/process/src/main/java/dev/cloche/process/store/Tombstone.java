package dev.cloche.process.store;

import java.time.Instant;

/**
 * Says what stays of a process that was pruned.
 *
 * @param fence the highest that was ever given for the id
 * @param lastSequence of the last event of the id, behind which a next life begins
 */
public record Tombstone(String id, long fence, long lastSequence, Instant prunedAt) {}
