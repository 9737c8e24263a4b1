package dev.cloche;

import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which processes are asked for.
 *
 * <pre>{@code
 * cloche.processes().list(ProcessFilter.ALL.withStatuses(Set.of("failed")).withText("make"));
 * }</pre>
 *
 * @param statuses as {@link ProcessInfo#status}; empty for any
 * @param inputTypes empty for any
 * @param session whose they are
 * @param text that stands in the id, the type, the session or the input, whatever its case
 * @param olderThan registered so long ago at least
 * @param youngerThan registered less long ago
 */
public record ProcessFilter(
        Set<String> statuses,
        Set<String> inputTypes,
        Optional<String> session,
        Optional<String> text,
        Optional<Duration> olderThan,
        Optional<Duration> youngerThan) {
    /** Every process. */
    public static final ProcessFilter ALL = new ProcessFilter(
            Set.of(), Set.of(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public ProcessFilter {
        statuses = Set.copyOf(statuses);
        inputTypes = Set.copyOf(inputTypes);
    }

    public ProcessFilter withStatuses(Set<String> chosen) {
        return new ProcessFilter(chosen, inputTypes, session, text, olderThan, youngerThan);
    }

    public ProcessFilter withInputTypes(Set<String> chosen) {
        return new ProcessFilter(statuses, chosen, session, text, olderThan, youngerThan);
    }

    public ProcessFilter withSession(String id) {
        return new ProcessFilter(statuses, inputTypes, Optional.of(id), text, olderThan, youngerThan);
    }

    public ProcessFilter withText(String part) {
        return new ProcessFilter(statuses, inputTypes, session, Optional.of(part), olderThan, youngerThan);
    }

    public ProcessFilter withAge(Optional<Duration> least, Optional<Duration> most) {
        return new ProcessFilter(statuses, inputTypes, session, text, least, most);
    }

    /** @throws dev.cloche.base.ClocheException if there is no such status */
    ProcessQuery query() {
        Set<ProcessStatus> chosen = statuses.stream().map(ProcessStatus::ofWord).collect(Collectors.toSet());
        ProcessQuery query = ProcessQuery.all()
                .withStatuses(chosen)
                .withInputTypes(inputTypes)
                .withAge(olderThan, youngerThan);
        query = session.map(query::withSession).orElse(query);
        return text.map(query::withText).orElse(query);
    }
}
