package dev.cloche.process;

import java.util.Optional;

/**
 * Says that something was committed.
 *
 * @param sequence of the event that was appended; 0 for everything else
 * @param eventType its type; present exactly for events
 */
public record Change(String processId, Kind kind, long sequence, Optional<String> eventType) {
    /** Says what happened to the process. */
    public enum Kind {
        REGISTERED,
        EVENT,
        EXTERNAL_REF,
        /** Its lease was given back, or ends earlier than it was to. */
        RELEASED,
        PRUNED
    }

    public static Change of(String processId, Kind kind) {
        return new Change(processId, kind, 0, Optional.empty());
    }

    public static Change of(ProcessEvent event) {
        return new Change(event.processId(), Kind.EVENT, event.sequence(), Optional.of(event.type()));
    }
}
