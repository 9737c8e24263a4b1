package dev.cloche.process;

import dev.cloche.process.value.PageLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Says which processes are asked for, in the order of their ids.
 *
 * @param statuses empty for any
 * @param inputTypes tags of their inputs; empty for any
 * @param session whose they are
 * @param text that stands somewhere in the id, the tag, the session or the input, in upper or lower case
 * @param olderThan registered so long ago at least, by the store's wall clock
 * @param youngerThan registered less long ago
 * @param after ids greater than this one, compared by code points
 * @param limit from 1 to {@link ProcessRegistry#LARGEST_PAGE}
 */
public record ProcessQuery(
        Set<ProcessStatus> statuses,
        Set<String> inputTypes,
        Optional<String> session,
        Optional<String> text,
        Optional<Duration> olderThan,
        Optional<Duration> youngerThan,
        Optional<String> after,
        int limit) {
    public ProcessQuery {
        statuses = Set.copyOf(statuses);
        inputTypes = Set.copyOf(inputTypes);
        PageLimits.require(limit);
    }

    /** Selects all, or those that run. */
    public ProcessQuery(boolean runningOnly, Optional<String> after, int limit) {
        this(
                runningOnly ? Set.of(ProcessStatus.RUNNING) : Set.of(),
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                after,
                limit);
    }

    /** Returns the first page of all. */
    public static ProcessQuery all() {
        return new ProcessQuery(false, Optional.empty(), ProcessRegistry.LARGEST_PAGE);
    }

    public ProcessQuery withStatuses(Set<ProcessStatus> chosen) {
        return new ProcessQuery(chosen, inputTypes, session, text, olderThan, youngerThan, after, limit);
    }

    public ProcessQuery withInputTypes(Set<String> chosen) {
        return new ProcessQuery(statuses, chosen, session, text, olderThan, youngerThan, after, limit);
    }

    public ProcessQuery withSession(String id) {
        return new ProcessQuery(statuses, inputTypes, Optional.of(id), text, olderThan, youngerThan, after, limit);
    }

    public ProcessQuery withText(String part) {
        return new ProcessQuery(statuses, inputTypes, session, Optional.of(part), olderThan, youngerThan, after, limit);
    }

    /** Selects those that were registered so long ago at least. */
    public ProcessQuery withOlderThan(Duration age) {
        return new ProcessQuery(statuses, inputTypes, session, text, Optional.of(age), youngerThan, after, limit);
    }

    /** Selects those that were registered less long ago. */
    public ProcessQuery withYoungerThan(Duration age) {
        return new ProcessQuery(statuses, inputTypes, session, text, olderThan, Optional.of(age), after, limit);
    }

    /** Returns the page after a process. */
    public ProcessQuery after(String id) {
        return new ProcessQuery(statuses, inputTypes, session, text, olderThan, youngerThan, Optional.of(id), limit);
    }

    public ProcessQuery withLimit(int most) {
        return new ProcessQuery(statuses, inputTypes, session, text, olderThan, youngerThan, after, most);
    }

    /** Returns when a process was registered at the latest, in milliseconds since 1970. For stores. */
    public long latestRegistration(Instant now) {
        return olderThan.map(age -> now.minus(age).toEpochMilli()).orElse(Long.MAX_VALUE);
    }

    /** Returns after when a process was registered, in milliseconds since 1970. For stores. */
    public long earliestRegistration(Instant now) {
        return youngerThan.map(age -> now.minus(age).toEpochMilli()).orElse(Long.MIN_VALUE);
    }
}
