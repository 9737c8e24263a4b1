package dev.cloche.process;

import java.util.Optional;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/** JSON pointers, RFC 6901. Stateless. */
final class JsonPointers {
    private JsonPointers() {}

    static void require(String pointer) {
        try {
            JsonPointer.compile(pointer);
        } catch (IllegalArgumentException e) {
            throw new ProcessException.Invalid("\"" + pointer + "\" is no JSON pointer");
        }
        if (pointer.length() > Names.LONGEST) {
            throw new ProcessException.Invalid("a JSON pointer is longer than " + Names.LONGEST + " characters");
        }
    }

    static Optional<JsonNode> find(JsonNode root, String pointer) {
        JsonNode found = root.at(JsonPointer.compile(pointer));
        return found.isMissingNode() ? Optional.empty() : Optional.of(found);
    }
}
