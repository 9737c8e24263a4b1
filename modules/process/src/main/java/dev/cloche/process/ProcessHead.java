package dev.cloche.process;

import java.util.Optional;

/**
 * What every decision about a process needs, and nothing that is long.
 *
 * @param key the store's own number of the row
 * @param fence of the latest claim; 0 before the first, unless the id was pruned
 */
public record ProcessHead(
        long key,
        String id,
        String hash,
        ProcessStatus status,
        Recovery recovery,
        boolean leaseRequired,
        long lastSequence,
        long fence,
        int attempts,
        Optional<LeaseRow> lease) {}
