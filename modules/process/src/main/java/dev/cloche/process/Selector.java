package dev.cloche.process;

import dev.cloche.process.value.JsonPointers;
import dev.cloche.process.value.TextTemplates;

/** Picks a value out of an event's payload. */
public sealed interface Selector {
    /** Describes the payload itself. */
    record Whole() implements Selector {}

    /**
     * Says what a JSON pointer (RFC 6901) points at. Pointing at nothing fails the append.
     *
     * @param pointer empty, or begins with a slash
     */
    record Pointer(String pointer) implements Selector {
        public Pointer {
            JsonPointers.require(pointer);
        }
    }

    /** Always the same value. */
    record Constant(Json value) implements Selector {}

    /**
     * Describes a string with the payload's members in the places of their names in braces: {@code "{user} is done"}. A
     * string member stands as it is, any other as its JSON text. A missing member fails the append. {@code {{} and
     * {@code }}} are the braces themselves.
     */
    record Template(String template) implements Selector {
        public Template {
            TextTemplates.parse(template);
        }
    }

    /** Tells whether a JSON pointer points at anything: true or false. */
    record Present(String pointer) implements Selector {
        public Present {
            JsonPointers.require(pointer);
        }
    }
}
