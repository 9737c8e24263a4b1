package dev.cloche.process.value;

import dev.cloche.base.JsonValue;
import dev.cloche.process.ProcessException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonPointer;

/** Follows JSON pointers, RFC 6901. Stateless. */
public final class JsonPointers {
    private JsonPointers() {}

    public static void require(String pointer) {
        try {
            JsonPointer.compile(pointer);
        } catch (IllegalArgumentException e) {
            throw new ProcessException.Invalid("\"" + pointer + "\" is no JSON pointer");
        }
        if (pointer.length() > NameRules.LONGEST) {
            throw new ProcessException.Invalid("a JSON pointer is longer than " + NameRules.LONGEST + " characters");
        }
    }

    /** Returns what the pointer leads to, if something is there. */
    public static Optional<JsonValue> find(JsonValue root, String pointer) {
        Optional<JsonValue> found = Optional.of(root);
        for (JsonPointer rest = JsonPointer.compile(pointer); !rest.matches(); rest = rest.tail()) {
            JsonPointer next = rest;
            found = found.flatMap(value -> child(value, next));
        }
        return found;
    }

    private static Optional<JsonValue> child(JsonValue value, JsonPointer next) {
        return switch (value) {
            case JsonValue.Fields(Map<String, JsonValue> fields) ->
                Optional.ofNullable(fields.get(next.getMatchingProperty()));
            case JsonValue.Items(List<JsonValue> items) -> {
                int index = next.getMatchingIndex();
                yield index >= 0 && index < items.size() ? Optional.of(items.get(index)) : Optional.empty();
            }
            case JsonValue.Text _, JsonValue.Numeral _, JsonValue.Literal _ -> Optional.empty();
        };
    }
}
