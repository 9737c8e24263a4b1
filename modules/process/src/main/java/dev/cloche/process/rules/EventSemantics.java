package dev.cloche.process.rules;

import dev.cloche.base.JsonValue;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.EventType;
import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.EventType.WakeRule;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.Selector;
import dev.cloche.process.value.JsonPointers;
import dev.cloche.process.value.TextTemplates;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Computes what an event's type makes of its payload: plain functions. */
final class EventSemantics {
    private EventSemantics() {}

    /**
     * Says what an event will do.
     *
     * @param output how it ends the process
     * @param wake what it wakes with
     */
    record Effects(Optional<AwaitOutput> output, Optional<Wake> wake) {
        static final Effects NONE = new Effects(Optional.empty(), Optional.empty());
    }

    /**
     * Describes a wake that has no target yet.
     *
     * @param dedupeKey empty for the event's identity, which its sequence is a part of
     */
    record Wake(Json input, Optional<String> dedupeKey) {}

    /**
     * @throws ProcessException.SemanticsFailed if a selector finds nothing, or an output is none or of another kind
     */
    static Effects of(EventType type, Json payload) {
        if (type.terminal().isEmpty() && type.wake().isEmpty()) {
            return Effects.NONE;
        }
        JsonValue root = payload.tree();
        return new Effects(
                type.terminal().map(rule -> output(type.name(), rule, payload, root)),
                type.wake().flatMap(rule -> wake(type.name(), rule, payload, root)));
    }

    private static AwaitOutput output(String type, TerminalRule rule, Json payload, JsonValue root) {
        if (rule.awaitOutput().isEmpty()) {
            return new AwaitOutput.Success(payload, Optional.empty());
        }
        AwaitOutput output;
        try {
            output = AwaitOutput.of(select(type, rule.awaitOutput().get(), payload, root));
        } catch (ProcessException.Invalid e) {
            throw new ProcessException.SemanticsFailed(type, "what is to be its output is none");
        }
        if (output.status() != rule.state()) {
            throw new ProcessException.SemanticsFailed(
                    type,
                    "its output is that of a " + output.status().word() + " process and not of a "
                            + rule.state().word() + " one");
        }
        return output;
    }

    private static Optional<Wake> wake(String type, WakeRule rule, Json payload, JsonValue root) {
        if (rule.when().isPresent()
                && !isTrue(select(type, rule.when().get(), payload, root).tree())) {
            return Optional.empty();
        }
        Optional<String> dedupeKey = switch (rule.dedupeKey()) {
            case DedupeKey.EventIdentity _ -> Optional.empty();
            case DedupeKey.Constant constant -> Optional.of(constant.key());
            case DedupeKey.Selected selected -> {
                Json value = select(type, selected.selector(), payload, root);
                yield Optional.of(inText(value.tree(), value));
            }
        };
        return Optional.of(new Wake(select(type, rule.input(), payload, root), dedupeKey));
    }

    private static Json select(String type, Selector selector, Json payload, JsonValue root) {
        return switch (selector) {
            case Selector.Whole _ -> payload;
            case Selector.Constant constant -> constant.value();
            case Selector.Present present ->
                Json.of(JsonPointers.find(root, present.pointer()).isPresent());
            case Selector.Pointer pointer ->
                JsonPointers.find(root, pointer.pointer())
                        .map(Json::of)
                        .orElseThrow(() -> new ProcessException.SemanticsFailed(
                                type, "nothing is at \"" + pointer.pointer() + "\""));
            case Selector.Template template -> Json.of(fill(type, template, root));
        };
    }

    private static String fill(String type, Selector.Template template, JsonValue root) {
        StringBuilder filled = new StringBuilder();
        for (TextTemplates.Part part : TextTemplates.parse(template.template())) {
            switch (part) {
                case TextTemplates.Part.Text text -> filled.append(text.text());
                case TextTemplates.Part.Field field -> {
                    JsonValue value = root.orNoFields().fields().get(field.name());
                    if (value == null) {
                        throw new ProcessException.SemanticsFailed(type, "it has no member \"" + field.name() + "\"");
                    }
                    filled.append(inText(value, Json.of(value)));
                    if (filled.length() > Json.LONGEST) {
                        throw new ProcessException.SemanticsFailed(type, "a template would become too long");
                    }
                }
            }
        }
        return filled.toString();
    }

    private static String inText(JsonValue value, Json json) {
        return value instanceof JsonValue.Text(String text) ? text : json.text();
    }

    /** Null, false and everything empty is false; every number is true, zero as well. */
    private static boolean isTrue(JsonValue value) {
        return switch (value) {
            case JsonValue.Literal literal -> literal == JsonValue.Literal.TRUE;
            case JsonValue.Text(String text) -> !text.isEmpty();
            case JsonValue.Numeral _ -> true;
            case JsonValue.Items(List<JsonValue> items) -> !items.isEmpty();
            case JsonValue.Fields(Map<String, JsonValue> fields) -> !fields.isEmpty();
        };
    }
}
