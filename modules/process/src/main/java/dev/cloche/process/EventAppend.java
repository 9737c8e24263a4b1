package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.Optional;

/**
 * Describes an event to be appended.
 *
 * @param replayKey makes the append repeatable: the second with the same key and content finds the first
 * @param wakeTarget the session that it wakes, if its type wakes one
 * @param causedBy opaque to the registry
 */
public record EventAppend(
        String type,
        Json payload,
        Optional<String> replayKey,
        Optional<SessionScope> wakeTarget,
        Optional<Json> causedBy) {
    public EventAppend {
        NameRules.require("an event type's name", type);
        replayKey.ifPresent(key -> NameRules.requireKey("a replay key", key));
    }

    public static EventAppend of(String type, Json payload) {
        return new EventAppend(type, payload, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public EventAppend withReplayKey(String key) {
        return new EventAppend(type, payload, Optional.of(key), wakeTarget, causedBy);
    }

    public EventAppend withWakeTarget(SessionScope target) {
        return new EventAppend(type, payload, replayKey, Optional.of(target), causedBy);
    }

    public EventAppend withCausedBy(Json cause) {
        return new EventAppend(type, payload, replayKey, wakeTarget, Optional.of(cause));
    }
}
