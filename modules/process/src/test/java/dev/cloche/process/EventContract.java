package dev.cloche.process;

import static dev.cloche.process.ContractFixture.cancelled;
import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.rules.AppendRules;
import dev.cloche.process.rules.JsonDigests;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Appending events and ending processes. */
public interface EventContract extends ContractFixture {
    @Test
    default void eventsAreNumberedFromOneForEachProcess() {
        registry().register(registration("p"));
        registry().register(registration("q"));
        for (int i = 1; i <= 3; i++) {
            assertThat(registry().append("p", note(i)).event().sequence()).isEqualTo(i);
        }
        assertThat(registry().append("q", note(1)).event().sequence()).isEqualTo(1);
        assertThat(registry().eventsAfter("p", 0, 10))
                .extracting(ProcessEvent::sequence)
                .containsExactly(1L, 2L, 3L);
        assertThat(registry().get("p").orElseThrow().lastSequence()).isEqualTo(3);
    }

    @Test
    default void anEventKeepsAllThatWasAppended() {
        registry().register(registration("p"));
        EventAppend append = note(7).withReplayKey("k").withCausedBy(Json.parse("{\"by\":\"me\"}"));
        AppendResult appended = registry().append("p", append);
        assertThat(appended.replayed()).isFalse();
        assertThat(appended.wake()).isEmpty();
        ProcessEvent event = appended.event();
        assertThat(event.type()).isEqualTo("note");
        assertThat(event.payload()).isEqualTo(Json.of(7));
        assertThat(event.replayKey()).contains("k");
        assertThat(event.causedBy()).contains(Json.parse("{\"by\":\"me\"}"));
        assertThat(event.payloadHash()).isEqualTo(JsonDigests.sha256(Json.parse("[\"note\",7]")));
        assertThat(registry().eventsAfter("p", 0, 1)).containsExactly(event);
        assertThat(registry().get("p").orElseThrow().updatedAt()).isEqualTo(event.at());
    }

    @Test
    default void eventsAreReadInPagesAfterASequence() {
        registry().register(registration("p"));
        LongStream.rangeClosed(1, 5).forEach(i -> registry().append("p", note(i)));
        assertThat(registry().eventsAfter("p", 2, 2))
                .extracting(ProcessEvent::sequence)
                .containsExactly(3L, 4L);
        assertThat(registry().eventsAfter("p", 5, 2)).isEmpty();
        assertThat(registry().eventsAfter("p", Long.MAX_VALUE, 2)).isEmpty();
        assertThat(registry().eventsAfter("p", -1, 1))
                .extracting(ProcessEvent::sequence)
                .containsExactly(1L);
    }

    @Test
    default void eventsWithoutAReplayKeyAreNeverTheSame() {
        registry().register(registration("p"));
        registry().append("p", note(1));
        registry().append("p", note(1));
        assertThat(registry().eventsAfter("p", 0, 10)).hasSize(2);
    }

    @Test
    default void aReplayFindsTheFirstAndWritesNothing() {
        registry().register(registration("p"));
        AppendResult first = registry().append("p", note(1).withReplayKey("k"));
        ProcessRecord before = registry().get("p").orElseThrow();
        AppendResult again = registry().append("p", note(1).withReplayKey("k"));
        assertThat(again.replayed()).isTrue();
        assertThat(again.event()).isEqualTo(first.event());
        assertThat(registry().get("p")).contains(before);
        await().untilAsserted(() ->
                assertThat(registry().changes(Optional.empty(), 10).changes()).hasSize(2));
    }

    @Test
    default void aReplayKeyOfAnotherContentIsAConflictBeforeAnythingElse() {
        registry().register(registration("p"));
        registry().append("p", note(1).withReplayKey("k"));
        for (EventAppend other : List.of(
                note(2).withReplayKey("k"),
                EventAppend.of("undeclared", Json.NULL).withReplayKey("k"))) {
            assertThatThrownBy(() -> registry().append("p", other))
                    .isInstanceOf(ProcessException.ReplayConflict.class)
                    .hasMessageContaining("\"k\"");
        }
        registry().complete("p", success(1));
        assertThatThrownBy(() -> registry().append("p", note(2).withReplayKey("k")))
                .isInstanceOf(ProcessException.ReplayConflict.class);
        assertThat(registry().append("p", note(1).withReplayKey("k")).replayed())
                .isTrue();
    }

    @Test
    default void replayKeysOfDifferentProcessesDoNotMeet() {
        registry().register(registration("p"));
        registry().register(registration("q"));
        registry().append("p", note(1).withReplayKey("k"));
        assertThat(registry().append("q", note(2).withReplayKey("k")).replayed())
                .isFalse();
    }

    @Test
    default void aTypeThatIsNotDeclaredIsRefused() {
        registry().register(registration("p"));
        assertThatThrownBy(() -> registry().append("p", EventAppend.of("other", Json.NULL)))
                .isInstanceOf(ProcessException.UndeclaredType.class);
        assertThatThrownBy(() -> registry()
                        .append(
                                "p",
                                EventAppend.of(EventType.ABANDONED, Json.NULL).withReplayKey("k")))
                .isInstanceOf(ProcessException.UndeclaredType.class);
        assertThat(registry().eventsAfter("p", 0, 1)).isEmpty();
    }

    @Test
    default void terminalEventsAndCancelRequestsNeedAReplayKey() {
        registry().register(registration("p"));
        for (String type :
                List.of(EventType.COMPLETED, EventType.FAILED, EventType.CANCELLED, EventType.CANCEL_REQUESTED)) {
            assertThatThrownBy(() -> registry().append("p", EventAppend.of(type, Json.NULL)))
                    .isInstanceOf(ProcessException.ReplayKeyRequired.class);
        }
        assertThat(registry().eventsAfter("p", 0, 1)).isEmpty();
    }

    /** The artefact {@code cloche-schema} is not on the class path of these tests. */
    @Test
    default void aTypeWithASchemaIsRefusedWhereNothingChecksSchemas() {
        EventType checked = new EventType("checked", Optional.of(Json.TRUE), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> registry().register(registration("p", checked)))
                .isInstanceOf(ProcessException.SchemasMissing.class)
                .hasMessageContaining("dev.cloche:cloche-schema");
        assertThat(registry().get("p")).isEmpty();
    }

    @Test
    default void completingEndsAProcessOnce() {
        for (AwaitOutput output : List.of(
                new AwaitOutput.Success(Json.parse("{\"a\":1}"), Optional.of(Json.parse("\"more\""))),
                new AwaitOutput.Failure(FailureClass.RESOURCE_LIMIT, "oom", "no memory", Optional.of(Json.NULL)),
                new AwaitOutput.Cancelled("enough", Optional.of(Json.of(3))))) {
            String id = output.status().word();
            registry().register(registration(id));
            AppendResult first = registry().complete(id, output);
            assertThat(first.event().replayKey())
                    .contains("process:" + id + ":terminal:" + first.event().type());
            ProcessRecord ended = registry().get(id).orElseThrow();
            assertThat(ended.status()).isEqualTo(output.status());
            assertThat(ended.output()).contains(output);
            assertThat(registry().complete(id, output))
                    .isEqualTo(new AppendResult(first.event(), Optional.empty(), true));
            assertThat(registry().get(id)).contains(ended);
        }
    }

    @Test
    default void anotherOutputOfTheKindIsAReplayConflictAndAnotherKindIsTooLate() {
        registry().register(registration("p"));
        registry().complete("p", success(1));
        assertThatThrownBy(() -> registry().complete("p", success(2)))
                .isInstanceOf(ProcessException.ReplayConflict.class);
        for (AwaitOutput other : List.of(failure("x"), cancelled())) {
            assertThatThrownBy(() -> registry().complete("p", other))
                    .isInstanceOfSatisfying(
                            ProcessException.AlreadyTerminal.class,
                            late -> assertThat(late.status()).isEqualTo(ProcessStatus.COMPLETED));
        }
        assertThat(registry().eventsAfter("p", 0, 10)).hasSize(1);
    }

    @Test
    default void afterTheEndOtherEventsGoOnAndChangeNoStatus() {
        registry().register(registration("p"));
        registry().complete("p", failure("x"));
        assertThat(registry().append("p", note(1)).event().sequence()).isEqualTo(2);
        assertThat(registry()
                        .append(
                                "p",
                                EventAppend.of(EventType.CANCEL_REQUESTED, Json.NULL)
                                        .withReplayKey("late"))
                        .event()
                        .sequence())
                .isEqualTo(3);
        assertThatThrownBy(() -> registry()
                        .append(
                                "p",
                                EventAppend.of(
                                                EventType.COMPLETED,
                                                Json.object(Map.of(
                                                        "await_output",
                                                        success(1).json())))
                                        .withReplayKey("other")))
                .isInstanceOf(ProcessException.AlreadyTerminal.class);
        assertThat(registry().get("p").orElseThrow().status()).isEqualTo(ProcessStatus.FAILED);
    }

    @Test
    default void afterEachKindOfEndEachClassOfTypeIsAnsweredTheSame() {
        EventType over = new EventType(
                "over",
                Optional.empty(),
                Optional.of(new TerminalRule(ProcessStatus.COMPLETED, Optional.empty())),
                Optional.empty());
        for (AwaitOutput end : List.of(success(1), failure("x"), cancelled())) {
            String id = end.status().word();
            registry().register(registration(id, EventType.plain("note"), ContractFixture.WAKING, over));
            registry().complete(id, end);
            SessionScope target = SessionScope.of("woken");
            assertThat(registry().append(id, note(1)).wake()).isEmpty();
            assertThat(registry()
                            .append(id, ContractFixture.said("late").withWakeTarget(target))
                            .wake())
                    .isPresent();
            assertThat(registry()
                            .append(
                                    id,
                                    EventAppend.of(EventType.CANCEL_REQUESTED, Json.NULL)
                                            .withReplayKey("late"))
                            .event()
                            .sequence())
                    .isEqualTo(4);
            for (AwaitOutput other : List.of(success(2), failure("y"), cancelled())) {
                EventAppend again = AppendRules.completion(id, other).withReplayKey("another");
                assertThatThrownBy(() -> registry().append(id, again))
                        .isInstanceOf(ProcessException.AlreadyTerminal.class);
            }
            assertThatThrownBy(() -> registry()
                            .append(id, EventAppend.of("over", Json.NULL).withReplayKey("another")))
                    .isInstanceOf(ProcessException.AlreadyTerminal.class);
            assertThat(registry().get(id).orElseThrow().output()).contains(end);
            assertThat(registry().get(id).orElseThrow().lastSequence()).isEqualTo(4);
        }
    }

    @Test
    default void onlyTheRegistryAbandons() {
        registry().register(registration("p"));
        assertThatThrownBy(() -> registry()
                        .complete("p", new AwaitOutput.Abandoned(AbandonReason.OWNER_LOST, 1, Optional.empty())))
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    default void aCancelRequestIsOneEventHoweverOftenAndWhyItIsAsked() {
        registry().register(registration("p"));
        AppendResult first = registry().cancel("p", "no more need");
        assertThat(first.event().payload()).isEqualTo(Json.parse("{\"reason\":\"no more need\"}"));
        assertThat(first.event().type()).isEqualTo(EventType.CANCEL_REQUESTED);
        AppendResult second = registry().cancel("p", "another reason");
        assertThat(second.replayed()).isTrue();
        assertThat(second.event()).isEqualTo(first.event());
        assertThat(registry().get("p").orElseThrow().status()).isEqualTo(ProcessStatus.RUNNING);
    }

    @Test
    default void whatHasEndedCannotBeCancelled() {
        registry().register(registration("p"));
        registry().complete("p", success(1));
        assertThatThrownBy(() -> registry().cancel("p", "why")).isInstanceOf(ProcessException.AlreadyTerminal.class);
    }
}
