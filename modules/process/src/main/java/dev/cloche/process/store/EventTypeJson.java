package dev.cloche.process.store;

import dev.cloche.base.JsonValue;
import dev.cloche.process.EventType;
import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.EventType.WakeRule;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.Selector;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The part of {@link RegistrationJson} that encodes event types. Stateless. */
final class EventTypeJson {
    private EventTypeJson() {}

    static Json write(EventType type) {
        Map<String, Json> members = new TreeMap<>();
        members.put("name", Json.of(type.name()));
        type.schema().ifPresent(schema -> members.put("schema", schema));
        type.terminal().ifPresent(rule -> members.put("terminal", terminal(rule)));
        type.wake().ifPresent(rule -> members.put("wake", wake(rule)));
        return Json.object(members);
    }

    static EventType read(JsonValue.Fields node) {
        return new EventType(
                node.requireText("name"),
                optional(node, "schema", Json::of),
                optional(node, "terminal", EventTypeJson::terminal),
                optional(node, "wake", EventTypeJson::wake));
    }

    private static Json terminal(TerminalRule rule) {
        Map<String, Json> members = new TreeMap<>();
        members.put("state", Json.of(rule.state().word()));
        rule.awaitOutput().ifPresent(selector -> members.put("await_output", selector(selector)));
        return Json.object(members);
    }

    private static TerminalRule terminal(JsonValue rule) {
        JsonValue.Fields node = rule.orNoFields();
        return new TerminalRule(
                ProcessStatus.ofWord(node.requireText("state")),
                optional(node, "await_output", EventTypeJson::selector));
    }

    private static Json wake(WakeRule rule) {
        Map<String, Json> members = new TreeMap<>();
        rule.when().ifPresent(selector -> members.put("when", selector(selector)));
        members.put("input", selector(rule.input()));
        members.put("dedupe_key", dedupeKey(rule.dedupeKey()));
        return Json.object(members);
    }

    private static WakeRule wake(JsonValue rule) {
        JsonValue.Fields node = rule.orNoFields();
        return new WakeRule(
                optional(node, "when", EventTypeJson::selector),
                selector(node.require("input")),
                dedupeKey(node.require("dedupe_key")));
    }

    private static Json dedupeKey(DedupeKey key) {
        return switch (key) {
            case DedupeKey.EventIdentity _ -> tagged("event_identity");
            case DedupeKey.Selected selected -> tagged("selected", "selector", selector(selected.selector()));
            case DedupeKey.Constant constant -> tagged("constant", "key", Json.of(constant.key()));
        };
    }

    private static DedupeKey dedupeKey(JsonValue key) {
        JsonValue.Fields node = key.orNoFields();
        return switch (node.requireText("type")) {
            case "event_identity" -> new DedupeKey.EventIdentity();
            case "selected" -> new DedupeKey.Selected(selector(node.require("selector")));
            case "constant" -> new DedupeKey.Constant(node.requireText("key"));
            case String other -> throw new ProcessException.Invalid("there is no dedupe key \"" + other + "\"");
        };
    }

    private static Json selector(Selector selector) {
        return switch (selector) {
            case Selector.Whole _ -> tagged("whole");
            case Selector.Pointer pointer -> tagged("pointer", "pointer", Json.of(pointer.pointer()));
            case Selector.Constant constant -> tagged("constant", "value", constant.value());
            case Selector.Template template -> tagged("template", "template", Json.of(template.template()));
            case Selector.Present present -> tagged("present", "pointer", Json.of(present.pointer()));
        };
    }

    private static Selector selector(JsonValue selector) {
        JsonValue.Fields node = selector.orNoFields();
        return switch (node.requireText("type")) {
            case "whole" -> new Selector.Whole();
            case "pointer" -> new Selector.Pointer(node.requireText("pointer"));
            case "constant" -> new Selector.Constant(Json.of(node.require("value")));
            case "template" -> new Selector.Template(node.requireText("template"));
            case "present" -> new Selector.Present(node.requireText("pointer"));
            case String other -> throw new ProcessException.Invalid("there is no selector \"" + other + "\"");
        };
    }

    private static Json tagged(String type) {
        return Json.object(Map.of("type", Json.of(type)));
    }

    private static Json tagged(String type, String member, Json value) {
        return Json.object(Map.of("type", Json.of(type), member, value));
    }

    private static <T> Optional<T> optional(JsonValue.Fields node, String member, Function<JsonValue, T> read) {
        return Optional.ofNullable(node.fields().get(member)).map(read);
    }
}
