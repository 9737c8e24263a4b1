package dev.cloche.process.value;

import dev.cloche.process.ProcessException;
import java.util.Optional;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

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

    public static Optional<JsonNode> find(JsonNode root, String pointer) {
        JsonNode found = root.at(JsonPointer.compile(pointer));
        return found.isMissingNode() ? Optional.empty() : Optional.of(found);
    }
}
