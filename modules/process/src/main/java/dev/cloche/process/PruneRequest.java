package dev.cloche.process;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which ended processes are to be forgotten.
 *
 * @param updatedBefore those that nothing has happened to since, by the store's wall clock
 * @param statuses how they ended; empty for any way
 * @param inputTypes tags of their inputs; empty for any
 * @param granted whether also those that a session has a handle to; the handles go with them
 */
public record PruneRequest(
        Instant updatedBefore, Set<ProcessStatus> statuses, Set<String> inputTypes, boolean granted) {
    public PruneRequest {
        statuses = Set.copyOf(statuses);
        inputTypes = Set.copyOf(inputTypes);
        if (statuses.contains(ProcessStatus.RUNNING)) {
            throw new ProcessException.Invalid("a process that runs cannot be pruned");
        }
    }

    /** All ended processes that nobody has a handle to. */
    public static PruneRequest before(Instant cutoff) {
        return new PruneRequest(cutoff, EnumSet.noneOf(ProcessStatus.class), Set.of(), false);
    }
}
