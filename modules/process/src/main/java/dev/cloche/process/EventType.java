package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.Optional;

/**
 * Describes a type of event that a process declares.
 *
 * @param schema what payloads have to keep to: a JSON Schema (2020-12 unless it names another draft) without references
 *     outside of itself
 * @param terminal if events of it end the process
 * @param wake if events of it wake a session
 */
public record EventType(String name, Optional<Json> schema, Optional<TerminalRule> terminal, Optional<WakeRule> wake) {
    public static final String CANCEL_REQUESTED = "process.cancel_requested";
    public static final String COMPLETED = "process.completed";
    public static final String FAILED = "process.failed";
    public static final String CANCELLED = "process.cancelled";

    /** Written by the registry alone, and so never declared by a caller. */
    public static final String ABANDONED = "process.abandoned";

    /** That a try failed and is made again ({@link RecoveryPolicy.Retrying}); written by the registry alone. */
    public static final String ATTEMPT_FAILED = "process.attempt_failed";

    public EventType {
        NameRules.require("an event type's name", name);
    }

    /** Returns a type without meaning to the registry. */
    public static EventType plain(String name) {
        return new EventType(name, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Says how an event ends its process.
     *
     * @param state how; not running and not abandoned
     * @param awaitOutput picks the {@linkplain AwaitOutput#json JSON form} of the output, whose kind must be that of the
     *     state. Where it is missing the whole payload is the value of a success; so only completed can do without
     */
    public record TerminalRule(ProcessStatus state, Optional<Selector> awaitOutput) {
        public TerminalRule {
            if (!state.terminal() || state == ProcessStatus.ABANDONED) {
                throw new ProcessException.Invalid("no event can make a process " + state.word());
            }
            if (state != ProcessStatus.COMPLETED && awaitOutput.isEmpty()) {
                throw new ProcessException.Invalid("a " + state.word() + " event type needs a selector of its output");
            }
        }
    }

    /**
     * Says when an event wakes the target of its append, and with what.
     *
     * @param when if present, the event wakes only if this value is neither null, false, nor an empty string, array or
     *     object; every number counts as true
     * @param input what the woken one gets
     */
    public record WakeRule(Optional<Selector> when, Selector input, DedupeKey dedupeKey) {}

    /** Says which wakes of one target are the same. */
    public sealed interface DedupeKey {
        /** Each event wakes: {@code <process>:<sequence>}. */
        record EventIdentity() implements DedupeKey {}

        /** Describes a value of the payload: a string as it is, anything else as its JSON text. */
        record Selected(Selector selector) implements DedupeKey {}

        /** All events of the type wake as one. */
        record Constant(String key) implements DedupeKey {
            public Constant {
                NameRules.require("a dedupe key", key);
            }
        }
    }
}
