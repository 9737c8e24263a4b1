package dev.cloche.execution;

import dev.cloche.base.JsonValue;
import dev.cloche.process.Json;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.vm.ResourceLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes and reads an {@link ExecutionSpec} as the payload of a process's input. Pure. */
final class SpecJson {
    private static final int VERSION = 1;

    private SpecJson() {}

    static Json write(ExecutionSpec spec) {
        CommandOptions options = spec.options();
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("version", Json.of(VERSION));
        members.put("sandbox", Json.object(Map.of("id", Json.of(spec.sandbox()), "name", Json.of(spec.sandboxName()))));
        members.put("command", Json.array(spec.command().stream().map(Json::of).toList()));
        Map<String, Json> environment = new HashMap<>();
        options.environment().forEach((name, value) -> environment.put(name, Json.of(value)));
        members.put("environment", Json.object(environment));
        options.user().ifPresent(user -> members.put("user", Json.of(user)));
        options.workingDirectory().ifPresent(directory -> members.put("workingDirectory", Json.of(directory)));
        members.put(
                "limits",
                Json.array(options.limits().stream().map(SpecJson::limit).toList()));
        return Json.object(members);
    }

    /** Returns a limit in JSON: limits are unsigned 64-bit numbers, which JSON's are not. */
    private static Json limit(ResourceLimit limit) {
        return Json.object(Map.of(
                "resource", Json.of(limit.resource().name()),
                "soft", Json.of(Long.toUnsignedString(limit.soft())),
                "hard", Json.of(Long.toUnsignedString(limit.hard()))));
    }

    /** @throws DurableExecutionException.Invalid if it is something else, or of a newer version */
    static ExecutionSpec read(Json payload) {
        JsonValue.Fields node = payload.fields();
        try {
            if (node.whole("version").orElse(0) != VERSION) {
                throw invalid("is of a version that this program does not know");
            }
            List<String> command = new ArrayList<>();
            items(node, "command").forEach(word -> command.add(text(word)));
            Map<String, String> environment = new HashMap<>();
            node.object("environment")
                    .orElse(JsonValue.Fields.NONE)
                    .fields()
                    .forEach((name, value) -> environment.put(name, text(value)));
            List<ResourceLimit> limits = new ArrayList<>();
            items(node, "limits").forEach(limit -> limits.add(limit(limit.orNoFields())));
            CommandOptions options = new CommandOptions(
                    environment,
                    node.text("workingDirectory"),
                    node.text("user"),
                    false,
                    Optional.empty(),
                    true,
                    limits);
            JsonValue.Fields sandbox = node.require("sandbox").orNoFields();
            return new ExecutionSpec(sandbox.requireWhole("id"), sandbox.requireText("name"), command, options);
        } catch (RuntimeException malformed) {
            if (malformed instanceof DurableExecutionException known) {
                throw known;
            }
            throw invalid("cannot be read: " + malformed.getMessage());
        }
    }

    private static ResourceLimit limit(JsonValue.Fields limit) {
        return new ResourceLimit(
                ResourceLimit.Resource.valueOf(limit.requireText("resource")),
                Long.parseUnsignedLong(limit.requireText("soft")),
                Long.parseUnsignedLong(limit.requireText("hard")));
    }

    private static List<JsonValue> items(JsonValue.Fields node, String name) {
        return node.items(name).orElse(List.of());
    }

    private static String text(JsonValue value) {
        if (value instanceof JsonValue.Text(String text)) {
            return text;
        }
        throw new IllegalArgumentException("a word of it is no text");
    }

    private static DurableExecutionException invalid(String what) {
        return new DurableExecutionException.Invalid(
                "The record of this execution " + what + ".", "Update Cloche, or cancel the process.");
    }
}
