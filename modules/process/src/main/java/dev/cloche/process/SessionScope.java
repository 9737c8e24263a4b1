package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.List;
import java.util.Optional;

/** Describes a session, or one frame of it, which can hold handles to processes and be woken by them. */
public record SessionScope(String session, Optional<String> frame) {
    public SessionScope {
        NameRules.require("a session id", session);
        frame.ifPresent(value -> NameRules.require("a frame id", value));
    }

    /** Returns the whole session. */
    public static SessionScope of(String session) {
        return new SessionScope(session, Optional.empty());
    }

    /** Returns one frame of a session. */
    public static SessionScope of(String session, String frame) {
        return new SessionScope(session, Optional.of(frame));
    }

    /**
     * Returns it as a text that no other scope has: a canonical JSON array of the session and, where there is one, the frame.
     */
    public String key() {
        return json().text();
    }

    public Json json() {
        Json first = Json.of(session);
        return Json.array(frame.map(value -> List.of(first, Json.of(value))).orElseGet(() -> List.of(first)));
    }
}
