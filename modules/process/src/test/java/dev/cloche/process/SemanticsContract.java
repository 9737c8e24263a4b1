package dev.cloche.process;

import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.EventType.WakeRule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the semantics of a type do through the registry; their rules one by one are in {@code SemanticsTest}. */
public interface SemanticsContract extends ContractFixture {
    @Test
    default void aTypeOfItsOwnEndsAProcessWithTheOutputThatItsSelectorPicks() {
        EventType died = new EventType(
                "died",
                Optional.empty(),
                Optional.of(new TerminalRule(ProcessStatus.FAILED, Optional.of(new Selector.Pointer("/how")))),
                Optional.empty());
        registry().register(registration("p", died));
        Json payload = Json.object(Map.of("how", failure("segv").json()));
        registry().append("p", EventAppend.of("died", payload).withReplayKey("end"));
        assertThat(registry().get("p").orElseThrow().output()).contains(failure("segv"));
    }

    @Test
    default void aCompletedTypeWithoutASelectorSucceedsWithItsPayload() {
        EventType done = new EventType(
                "done",
                Optional.empty(),
                Optional.of(new TerminalRule(ProcessStatus.COMPLETED, Optional.empty())),
                Optional.empty());
        registry().register(registration("p", done));
        registry().append("p", EventAppend.of("done", Json.of(5)).withReplayKey("end"));
        assertThat(registry().get("p").orElseThrow().output()).contains(success(5));
    }

    @Test
    default void anOutputThatContradictsTheStateOrThatIsMissingIsRefused() {
        registry().register(registration("p"));
        for (Json payload : List.of(
                Json.object(Map.of("await_output", failure("x").json())),
                Json.object(Map.of("await_output", Json.of("what?"))),
                Json.parse("{}"),
                Json.NULL)) {
            assertThatThrownBy(() -> registry()
                            .append(
                                    "p",
                                    EventAppend.of(EventType.COMPLETED, payload).withReplayKey("end")))
                    .isInstanceOf(ProcessException.SemanticsFailed.class);
        }
        assertThat(registry().get("p").orElseThrow().status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(registry().eventsAfter("p", 0, 1)).isEmpty();
    }

    @Test
    default void anEventCanEndAProcessAndWakeASessionAtOnce() {
        EventType both = new EventType(
                "both",
                Optional.empty(),
                Optional.of(new TerminalRule(ProcessStatus.COMPLETED, Optional.empty())),
                Optional.of(new WakeRule(
                        Optional.empty(), new Selector.Template("{who} is done"), new DedupeKey.EventIdentity())));
        registry().register(registration("p", both));
        AppendResult appended = registry()
                .append(
                        "p",
                        EventAppend.of("both", Json.parse("{\"who\":\"ann\"}"))
                                .withReplayKey("end")
                                .withWakeTarget(OWNER));
        assertThat(appended.wake().orElseThrow().input()).isEqualTo(Json.of("ann is done"));
        assertThat(registry().get("p").orElseThrow().status()).isEqualTo(ProcessStatus.COMPLETED);
        assertThat(registry().wakeEventsAfter("p", 0, 9)).hasSize(1);
    }
}
