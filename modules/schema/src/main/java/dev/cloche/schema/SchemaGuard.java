package dev.cloche.schema;

import com.networknt.schema.SpecificationVersion;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/**
 * Checks what a schema has to keep to, so that checking a payload comes to an end: references stay inside of it, do not
 * multiply, and lead back to where they stand only by way of a part of the payload, which has an end. How many are followed
 * is counted ({@link BoundedReference}).
 */
final class SchemaGuard {
    private static final int LONGEST = 64 * 1024;
    /** Subschemas with every reference written out. */
    private static final int LARGEST = 2_000;

    private static final List<String> REFUSED =
            List.of("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary");

    /** Keywords whose schemas look at the same value; all others look at parts of it. */
    private static final Set<String> SAME_VALUE =
            Set.of("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas");

    private final JsonNode root;
    private final Set<String> ended = new HashSet<>();
    private final Map<String, Integer> sizes = new HashMap<>();
    private final Deque<String> path = new ArrayDeque<>();

    private SchemaGuard(JsonNode root) {
        this.root = root;
    }

    static void require(Json schema) {
        if (schema.text().length() > LONGEST) {
            throw refused("is longer than " + LONGEST + " characters");
        }
        JsonNode root = NetworkntSchemas.node(schema);
        if (!root.isObject() && !root.isBoolean()) {
            throw refused("is neither an object nor a boolean");
        }
        String dialect = SpecificationVersion.DRAFT_2020_12.getDialectId();
        JsonNode named = root.path("$schema");
        if (!named.isMissingNode() && !(named.isString() && named.stringValue().equals(dialect))) {
            throw refused("is not of the draft " + dialect);
        }
        SchemaGuard guard = new SchemaGuard(root);
        guard.size(root);
        guard.sizes.keySet().forEach(guard::requireEnd);
    }

    /** References that lead on to others at the same value of a payload must not come round. */
    private void requireEnd(String reference) {
        if (ended.contains(reference)) {
            return;
        }
        if (path.contains(reference)) {
            throw refused("refers to itself at " + reference + " without going into the payload");
        }
        path.push(reference);
        requireEnds(target(reference));
        path.pop();
        ended.add(reference);
    }

    private void requireEnds(JsonNode schema) {
        if (schema.path("$ref").isString()) {
            requireEnd(schema.path("$ref").stringValue());
        }
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            if (SAME_VALUE.contains(keyword.getKey())) {
                requireEnds(keyword.getValue());
                // Arrays of schemas, and schemas by name.
                keyword.getValue().forEach(this::requireEnds);
            }
        }
    }

    private int size(JsonNode node) {
        int size = 1;
        for (String keyword : REFUSED) {
            if (node.path(keyword).isString()) {
                throw refused("uses " + keyword);
            }
        }
        JsonNode reference = node.path("$ref");
        if (node.isObject() && reference.isString()) {
            size = add(size, sizeBehind(reference.stringValue()));
        }
        for (JsonNode child : node) {
            size = add(size, size(child));
        }
        return size;
    }

    private int sizeBehind(String reference) {
        Integer known = sizes.get(reference);
        if (known != null) {
            return known;
        }
        if (path.contains(reference)) {
            // It goes on in a part of the payload, or is refused later.
            return 1;
        }
        JsonNode target = target(reference);
        path.push(reference);
        int size = size(target);
        path.pop();
        sizes.put(reference, size);
        return size;
    }

    private JsonNode target(String reference) {
        if (!reference.equals("#") && !reference.startsWith("#/")) {
            throw refused("refers to something outside of it: " + reference);
        }
        try {
            JsonNode target = root.at(JsonPointer.compile(reference.substring(1)));
            if (target.isMissingNode()) {
                throw refused("refers to nothing at " + reference);
            }
            return target;
        } catch (IllegalArgumentException e) {
            throw refused("refers to nothing at " + reference);
        }
    }

    private static int add(int size, int more) {
        if (size + more > LARGEST) {
            throw refused("has more than " + LARGEST + " parts with its references written out");
        }
        return size + more;
    }

    private static ProcessException.Invalid refused(String why) {
        return new ProcessException.Invalid("an event type's schema " + why);
    }
}
