package dev.cloche.process.store;

import dev.cloche.process.ProcessRecord;
import java.time.Instant;
import java.util.Optional;

/**
 * Describes all that a store has of a process but its events.
 *
 * @param startedAt when it was first claimed; empty before, or if a program of an older version claimed it
 * @param returnedFor why it was given back last
 * @param lostOwner who was lost last
 */
public record ProcessSnapshot(
        ProcessHead head,
        ProcessRecord record,
        Optional<Instant> startedAt,
        Optional<String> returnedFor,
        Optional<String> lostOwner) {}
