package dev.cloche.process;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A type of event that a process declares.
 *
 * @param schema what payloads have to keep to: a JSON Schema (2020-12 unless it names another draft) without references
 *     outside of itself
 * @param terminal if events of it end the process
 * @param wake if events of it wake somebody
 */
public record EventType(String name, Optional<Json> schema, Optional<TerminalRule> terminal, Optional<WakeRule> wake) {
    public static final String CANCEL_REQUESTED = "process.cancel_requested";
    public static final String COMPLETED = "process.completed";
    public static final String FAILED = "process.failed";
    public static final String CANCELLED = "process.cancelled";

    /** Written by the registry alone, and so never declared by a caller. */
    public static final String ABANDONED = "process.abandoned";

    /** That a try failed and is made again ({@link Recovery.Retrying}); written by the registry alone. */
    public static final String ATTEMPT_FAILED = "process.attempt_failed";

    static final Set<String> REGISTRYS_OWN = Set.of(ABANDONED, ATTEMPT_FAILED);

    public EventType {
        Names.require("an event type's name", name);
    }

    /** A type without meaning to the registry. */
    public static EventType plain(String name) {
        return new EventType(name, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** What every process has, unless it declares one of the name itself. */
    static List<EventType> core() {
        return List.of(
                plain(CANCEL_REQUESTED),
                ending(COMPLETED, ProcessStatus.COMPLETED),
                ending(FAILED, ProcessStatus.FAILED),
                ending(CANCELLED, ProcessStatus.CANCELLED));
    }

    private static EventType ending(String name, ProcessStatus state) {
        TerminalRule rule = new TerminalRule(state, Optional.of(new Selector.Pointer("/await_output")));
        return new EventType(name, Optional.empty(), Optional.of(rule), Optional.empty());
    }
}
