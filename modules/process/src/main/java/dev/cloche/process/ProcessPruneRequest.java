package dev.cloche.process;

import java.time.Duration;
import java.util.Set;

/**
 * Says which ended processes are to be forgotten.
 *
 * @param unusedFor those that nothing has happened to for so long, zero for all; counted by the clock of the store that
 *     leases are counted by, as long as the host was not started anew since, and else by the wall clock
 * @param statuses how they ended; empty for any way
 * @param inputTypes tags of their inputs; empty for any
 * @param granted whether also those that a session has a handle to; the handles go with them
 */
public record ProcessPruneRequest(
        Duration unusedFor, Set<ProcessStatus> statuses, Set<String> inputTypes, boolean granted) {
    public ProcessPruneRequest {
        statuses = Set.copyOf(statuses);
        inputTypes = Set.copyOf(inputTypes);
        if (unusedFor.isNegative()) {
            throw new ProcessException.Invalid("a process cannot be unused for " + unusedFor);
        }
        if (statuses.contains(ProcessStatus.RUNNING)) {
            throw new ProcessException.Invalid("a process that runs cannot be pruned");
        }
    }

    /** Returns all ended processes without handles. */
    public static ProcessPruneRequest all() {
        return unusedFor(Duration.ZERO);
    }

    /** Returns all ended processes without handles that nothing has happened to for so long. */
    public static ProcessPruneRequest unusedFor(Duration time) {
        return new ProcessPruneRequest(time, Set.of(), Set.of(), false);
    }

    public ProcessPruneRequest withStatuses(Set<ProcessStatus> chosen) {
        return new ProcessPruneRequest(unusedFor, chosen, inputTypes, granted);
    }

    public ProcessPruneRequest withInputTypes(Set<String> chosen) {
        return new ProcessPruneRequest(unusedFor, statuses, chosen, granted);
    }

    public ProcessPruneRequest withGranted(boolean also) {
        return new ProcessPruneRequest(unusedFor, statuses, inputTypes, also);
    }

    /** Returns the time in milliseconds, for stores. */
    public long unusedMillis() {
        try {
            return unusedFor.toMillis();
        } catch (ArithmeticException longerThanTime) {
            return Long.MAX_VALUE / 2;
        }
    }
}
