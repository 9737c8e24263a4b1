package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.WakeRule;
import dev.cloche.process.rules.JsonDigests;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Wakes and their outbox. */
public interface WakeContract extends ContractFixture {
    SessionScope TARGET = SessionScope.of("woken", "frame");

    @Test
    default void aWakeIsReturnedToTheAppenderAndIsInTheOutbox() {
        registry().register(registration("p"));
        AppendResult appended = registry().append("p", said("hello").withWakeTarget(TARGET));
        WakeDelivery wake = appended.wake().orElseThrow();
        assertThat(wake)
                .isEqualTo(new WakeDelivery(
                        JsonDigests.sha256(Json.parse("[[\"woken\",\"frame\"],\"p:1\"]")),
                        TARGET,
                        "p",
                        1,
                        "said",
                        Json.of("hello"),
                        "p:1"));
        assertThat(registry().wakeEventsAfter("p", 0, 10)).containsExactly(new WakeEvent(appended.event(), wake));
        assertThat(registry().pendingWakes("woken", Optional.empty(), 10)).containsExactly(wake);
        assertThat(registry().pendingWakes("frame", Optional.empty(), 10)).isEmpty();
    }

    @Test
    default void aWakeWithoutATargetIsAnErrorAndNothingIsKept() {
        registry().register(registration("p"));
        ProcessRecord before = registry().get("p").orElseThrow();
        assertThatThrownBy(() -> registry().append("p", said("hello").withReplayKey("k")))
                .isInstanceOf(ProcessException.WakeTargetMissing.class);
        assertThat(registry().get("p")).contains(before);
        assertThat(registry().eventsAfter("p", 0, 1)).isEmpty();
        assertThat(registry()
                        .append("p", said("hello").withReplayKey("k").withWakeTarget(TARGET))
                        .replayed())
                .isFalse();
    }

    @Test
    default void anEventWhoseConditionIsFalseWakesNoSessionAndNeedsNoTarget() {
        registry().register(registration("p"));
        EventAppend quiet = EventAppend.of("said", Json.parse("{\"when\":[],\"say\":\"psst\"}"));
        assertThat(registry().append("p", quiet).wake()).isEmpty();
        assertThat(registry().append("p", quiet.withWakeTarget(TARGET)).wake()).isEmpty();
        assertThat(registry().wakeEventsAfter("p", 0, 10)).isEmpty();
    }

    @Test
    default void aReplayReturnsTheWakeAgainAlsoAfterItWasAcknowledged() {
        registry().register(registration("p"));
        EventAppend append = said("hello").withWakeTarget(TARGET).withReplayKey("k");
        AppendResult first = registry().append("p", append);
        registry().ackWake("p", 1);
        AppendResult again = registry().append("p", append);
        assertThat(again).isEqualTo(new AppendResult(first.event(), first.wake(), true));
        assertThat(registry().wakeEventsAfter("p", 0, 10)).isEmpty();
    }

    @Test
    default void acknowledgedWakesAreGoneFromTheOutboxAndAcknowledgingIsRepeatable() {
        registry().register(registration("p"));
        for (int i = 0; i < 3; i++) {
            registry().append("p", said("n" + i).withWakeTarget(TARGET));
            registry().append("p", note(i));
        }
        registry().ackWake("p", 3);
        registry().ackWake("p", 3);
        registry().ackWake("p", 2);
        registry().ackWake("p", 99);
        assertThat(registry().wakeEventsAfter("p", 0, 10))
                .extracting(woken -> woken.event().sequence())
                .containsExactly(1L, 5L);
        assertThat(registry().wakeEventsAfter("p", 1, 10))
                .extracting(woken -> woken.wake().sequence())
                .containsExactly(5L);
        assertThat(registry().wakeEventsAfter("p", 0, 1)).hasSize(1);
    }

    @Test
    default void pendingWakesOfASessionAreReadInPagesOverItsFramesAndProcesses() {
        registry().register(registration("q"));
        registry().register(registration("p"));
        registry().append("q", said("1").withWakeTarget(SessionScope.of("woken")));
        registry().append("p", said("2").withWakeTarget(TARGET));
        registry().append("p", said("3").withWakeTarget(SessionScope.of("other")));
        registry().append("p", said("4").withWakeTarget(SessionScope.of("woken", "2")));
        List<WakeDelivery> first = registry().pendingWakes("woken", Optional.empty(), 2);
        assertThat(first).extracting(WakeDelivery::input).containsExactly(Json.of("2"), Json.of("4"));
        assertThat(registry().pendingWakes("woken", Optional.of(first.getLast()), 2))
                .extracting(WakeDelivery::input)
                .containsExactly(Json.of("1"));
    }

    @Test
    default void wakesOfTheSameTargetAndDedupeKeyHaveTheSameId() {
        EventType constant = new EventType(
                "poke",
                Optional.empty(),
                Optional.empty(),
                Optional.of(new WakeRule(Optional.empty(), new Selector.Whole(), new DedupeKey.Constant("once"))));
        EventType selected = new EventType(
                "prod",
                Optional.empty(),
                Optional.empty(),
                Optional.of(new WakeRule(
                        Optional.empty(), new Selector.Whole(), new DedupeKey.Selected(new Selector.Pointer("/key")))));
        registry().register(registration("p", constant, selected));
        WakeDelivery first = wake(EventAppend.of("poke", Json.of(1)));
        WakeDelivery second = wake(EventAppend.of("poke", Json.of(2)));
        WakeDelivery third = wake(EventAppend.of("prod", Json.parse("{\"key\":\"once\"}")));
        WakeDelivery fourth = wake(EventAppend.of("prod", Json.parse("{\"key\":{\"b\":1,\"a\":2}}")));
        assertThat(second.wakeId()).isEqualTo(first.wakeId()).isEqualTo(third.wakeId());
        assertThat(fourth.dedupeKey()).isEqualTo("{\"a\":2,\"b\":1}");
        assertThat(fourth.wakeId()).isNotEqualTo(first.wakeId());
    }

    private WakeDelivery wake(EventAppend append) {
        return registry().append("p", append.withWakeTarget(TARGET)).wake().orElseThrow();
    }
}
