package dev.cloche.process.value;

import dev.cloche.base.JsonValue;
import dev.cloche.process.AbandonReason;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.FailureClass;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads and writes the JSON form of {@link AwaitOutput}. Stateless. */
public final class AwaitOutputJson {
    private AwaitOutputJson() {}

    public static Json write(AwaitOutput output) {
        Map<String, Json> members = new TreeMap<>();
        switch (output) {
            case AwaitOutput.Success success -> {
                members.put("type", Json.of("success"));
                members.put("value", success.value());
                success.control().ifPresent(control -> members.put("control", control));
            }
            case AwaitOutput.Failure failure -> {
                members.put("type", Json.of("failure"));
                members.put("class", Json.of(failure.failureClass().word()));
                members.put("code", Json.of(failure.code()));
                members.put("message", Json.of(failure.message()));
                failure.raw().ifPresent(raw -> members.put("raw", raw));
            }
            case AwaitOutput.Cancelled cancelled -> {
                members.put("type", Json.of("cancelled"));
                members.put("message", Json.of(cancelled.message()));
                cancelled.raw().ifPresent(raw -> members.put("raw", raw));
            }
            case AwaitOutput.Abandoned abandoned -> {
                members.put("type", Json.of("abandoned"));
                members.put("reason", Json.of(abandoned.reason().word()));
                members.put("attempts", Json.of(abandoned.attempts()));
                abandoned.owner().ifPresent(owner -> members.put("owner", Json.of(owner)));
            }
        }
        return Json.object(members);
    }

    public static AwaitOutput read(Json json) {
        JsonValue.Fields node = json.fields();
        String type = text(node, "type");
        return switch (type) {
            case "success" ->
                new AwaitOutput.Success(
                        optional(node, "value")
                                .orElseThrow(() -> new ProcessException.Invalid("an output of success has no value")),
                        optional(node, "control"));
            case "failure" ->
                new AwaitOutput.Failure(
                        FailureClass.ofWord(text(node, "class")),
                        text(node, "code"),
                        text(node, "message"),
                        optional(node, "raw"));
            case "cancelled" -> new AwaitOutput.Cancelled(text(node, "message"), optional(node, "raw"));
            case "abandoned" ->
                new AwaitOutput.Abandoned(
                        AbandonReason.ofWord(text(node, "reason")),
                        (int) node.whole("attempts").orElse(0),
                        node.text("owner"));
            default -> throw new ProcessException.Invalid("there is no kind of output \"" + type + "\"");
        };
    }

    private static Optional<Json> optional(JsonValue.Fields node, String member) {
        return Optional.ofNullable(node.fields().get(member)).map(Json::of);
    }

    private static String text(JsonValue.Fields node, String member) {
        return node.text(member)
                .orElseThrow(() -> new ProcessException.Invalid("an output has no string member \"" + member + "\""));
    }
}
