package dev.cloche.process.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.EventType;
import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.EventType.WakeRule;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.Selector;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventSemanticsTest {
    private static Optional<EventSemantics.Wake> wake(
            Optional<Selector> when, Selector input, DedupeKey key, String payload) {
        EventType type =
                new EventType("t", Optional.empty(), Optional.empty(), Optional.of(new WakeRule(when, input, key)));
        return EventSemantics.of(type, Json.parse(payload)).wake();
    }

    private static Json input(Selector input, String payload) {
        return wake(Optional.empty(), input, new DedupeKey.EventIdentity(), payload)
                .orElseThrow()
                .input();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "false", "\"\"", "[]", "{}"})
    void nothingAndEverythingEmptyIsFalse(String payload) {
        assertThat(wake(
                        Optional.of(new Selector.Whole()),
                        new Selector.Whole(),
                        new DedupeKey.EventIdentity(),
                        payload))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "0", "-0.0", "1.5", "\" \"", "\"false\"", "[null]", "{\"a\":null}"})
    void everythingElseIsTrueAndZeroToo(String payload) {
        assertThat(wake(
                        Optional.of(new Selector.Whole()),
                        new Selector.Whole(),
                        new DedupeKey.EventIdentity(),
                        payload))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``        | {\"a\":1}            | {\"a\":1}",
                "/a        | {\"a\":null}         | null",
                "/a/1      | {\"a\":[5,6]}        | 6",
                "/a~1b/~0c | {\"a/b\":{\"~c\":7}} | 7",
                "/         | {\"\":8}             | 8"
            })
    void aPointerPicksWhatItPointsAt(String pointer, String payload, String expected) {
        assertThat(input(new Selector.Pointer(pointer), payload)).isEqualTo(Json.parse(expected));
        assertThat(input(new Selector.Present(pointer), payload)).isEqualTo(Json.TRUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/b", "/a/0", "/a/b"})
    void aPointerAtNothingFailsAndPresentSaysSo(String pointer) {
        assertThatThrownBy(() -> input(new Selector.Pointer(pointer), "{\"a\":1}"))
                .isInstanceOf(ProcessException.SemanticsFailed.class)
                .hasMessageContaining(pointer);
        assertThat(input(new Selector.Present(pointer), "{\"a\":1}")).isEqualTo(Json.FALSE);
    }

    @Test
    void aTemplateIsFilledWithMembers() {
        assertThat(input(new Selector.Template("{a}, {b} and {{{c}}}"), "{\"a\":\"x\",\"b\":1.50,\"c\":[true, null]}"))
                .isEqualTo(Json.of("x, 1.5 and {[true,null]}"));
        assertThatThrownBy(() -> input(new Selector.Template("{z}"), "{\"a\":1}"))
                .isInstanceOf(ProcessException.SemanticsFailed.class);
        assertThatThrownBy(() -> input(new Selector.Template("{z}"), "[1]"))
                .isInstanceOf(ProcessException.SemanticsFailed.class);
    }

    @Test
    void aFilledTemplateIsNotFilledAgain() {
        assertThat(input(new Selector.Template("{a}"), "{\"a\":\"{b}\",\"b\":\"no\"}"))
                .isEqualTo(Json.of("{b}"));
    }

    @Test
    void whatIsNoPointerOrTemplateIsRefusedWhenItIsMade() {
        for (String pointer : List.of("a", "a/b")) {
            assertThatThrownBy(() -> new Selector.Pointer(pointer)).isInstanceOf(ProcessException.Invalid.class);
        }
        for (String template : List.of("{", "{}", "}", "{a", "a}b")) {
            assertThatThrownBy(() -> new Selector.Template(template)).isInstanceOf(ProcessException.Invalid.class);
        }
    }

    @Test
    void aConstantIsAlwaysTheSame() {
        assertThat(input(new Selector.Constant(Json.of(3)), "{}")).isEqualTo(Json.of(3));
    }

    @Test
    void terminalRulesContradictNothing() {
        assertThatThrownBy(() -> new TerminalRule(ProcessStatus.FAILED, Optional.empty()))
                .isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> new TerminalRule(ProcessStatus.CANCELLED, Optional.empty()))
                .isInstanceOf(ProcessException.Invalid.class);
        for (ProcessStatus impossible : List.of(ProcessStatus.RUNNING, ProcessStatus.ABANDONED)) {
            assertThatThrownBy(() -> new TerminalRule(impossible, Optional.of(new Selector.Whole())))
                    .isInstanceOf(ProcessException.Invalid.class);
        }
    }
}
