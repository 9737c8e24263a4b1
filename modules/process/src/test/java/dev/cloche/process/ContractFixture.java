package dev.cloche.process;

import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.WakeRule;
import java.util.Optional;

/** What the tests of the contract start from. */
public interface ContractFixture {
    /** The session that owns what the tests register. */
    SessionScope OWNER = SessionScope.of("owner");

    /** A type whose events wake a session with the member {@code say}, unless the member {@code when} is false. */
    EventType WAKING = new EventType(
            "said",
            Optional.empty(),
            Optional.empty(),
            Optional.of(new WakeRule(
                    Optional.of(new Selector.Pointer("/when")),
                    new Selector.Pointer("/say"),
                    new DedupeKey.EventIdentity())));

    /** The registry under test, over a store that was empty at first. */
    ProcessRegistry registry();

    /** Another registry over the same data, as another program would open it; skips the test where that cannot be. */
    ProcessRegistry another();

    /** A registry over the same data that remembers so many pruned ids. */
    ProcessRegistry remembering(int pruned);

    /** A registry over the same data whose store fails at the nth primitive write from now on, counted from 1. */
    ProcessRegistry failingAtWrite(int nth);

    static ProcessRegistration registration(String id) {
        return ProcessRegistration.of(
                        id,
                        new ProcessInput(ProcessInput.TOOL_CALL, Json.parse("{\"tool\":\"grep\"}")),
                        new Provenance(OWNER, "host", Optional.empty()))
                .withEventTypes(EventType.plain("note"), WAKING);
    }

    static ProcessRegistration registration(String id, EventType... types) {
        return registration(id).withEventTypes(types);
    }

    static EventAppend note(long number) {
        return EventAppend.of("note", Json.of(number));
    }

    /** An event that wakes. */
    static EventAppend said(String what) {
        return EventAppend.of("said", Json.parse("{\"when\":true,\"say\":\"" + what + "\"}"));
    }

    static AwaitOutput success(long value) {
        return new AwaitOutput.Success(Json.of(value), Optional.empty());
    }

    static AwaitOutput failure(String code) {
        return new AwaitOutput.Failure(FailureClass.EXECUTION, code, "it broke", Optional.empty());
    }

    static AwaitOutput cancelled() {
        return new AwaitOutput.Cancelled("unwanted", Optional.empty());
    }
}
