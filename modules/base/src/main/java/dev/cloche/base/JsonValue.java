package dev.cloche.base;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;

/**
 * Holds a JSON document in memory. Documents come from strangers, so their depth is bounded here and their length by the
 * caller that read them, and a name that stands twice in an object is refused: readers would differ about it. Immutable.
 */
public sealed interface JsonValue {
    /** The deepest nesting that is read. */
    int DEEPEST = 64;

    record Text(String value) implements JsonValue {}

    /**
     * Holds a number as it is written, so that nothing of it is lost. Numbers that are written in two ways are not equal.
     *
     * @param digits as JSON has them, such as {@code -1.5e3}
     */
    record Numeral(String digits) implements JsonValue {
        private static final Pattern FORM =
                Pattern.compile("-?+(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+");

        public Numeral {
            if (!FORM.matcher(digits).matches()) {
                throw new IllegalArgumentException("no number of JSON: " + digits);
            }
        }

        /** Returns whether it has neither a fraction nor an exponent. */
        public boolean isWhole() {
            return digits.chars().allMatch(c -> c == '-' || (c >= '0' && c <= '9'));
        }

        /** Returns its value if it is whole and a {@code long} can hold it. */
        public OptionalLong whole() {
            // The longest ones have a sign and 19 digits.
            if (digits.length() > 20 || !isWhole()) {
                return OptionalLong.empty();
            }
            try {
                return OptionalLong.of(Long.parseLong(digits));
            } catch (NumberFormatException tooLarge) {
                return OptionalLong.empty();
            }
        }

        /** Returns the double that is nearest to it, which is infinite beyond the largest. */
        public double nearest() {
            return Double.parseDouble(digits);
        }
    }

    /** Holds what is written as a word. */
    enum Literal implements JsonValue {
        TRUE,
        FALSE,
        NULL
    }

    /** Describes a list; elements keep their order. */
    record Items(List<JsonValue> items) implements JsonValue {
        public Items {
            items = List.copyOf(items);
        }
    }

    /** Describes an object, in its order; absent names and those of another type read the same. */
    record Fields(Map<String, JsonValue> fields) implements JsonValue {
        public static final Fields NONE = new Fields(Map.of());

        public Fields {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        public boolean has(String name) {
            return fields.containsKey(name);
        }

        public Optional<String> text(String name) {
            return fields.get(name) instanceof Text(String value) ? Optional.of(value) : Optional.empty();
        }

        public OptionalLong whole(String name) {
            return fields.get(name) instanceof Numeral number ? number.whole() : OptionalLong.empty();
        }

        /**
         * Returns a member.
         *
         * @throws NoSuchElementException if it is absent
         */
        public JsonValue require(String name) {
            return Optional.ofNullable(fields.get(name))
                    .orElseThrow(() -> new NoSuchElementException("it has no \"" + name + "\""));
        }

        /**
         * Returns the text of a member.
         *
         * @throws NoSuchElementException if it is absent or no text
         */
        public String requireText(String name) {
            return text(name).orElseThrow(() -> new NoSuchElementException("it has no text \"" + name + "\""));
        }

        /**
         * Returns the value of a member.
         *
         * @throws NoSuchElementException if it is absent or not {@linkplain Numeral#whole whole}
         */
        public long requireWhole(String name) {
            return whole(name).orElseThrow(() -> new NoSuchElementException("it has no whole number \"" + name + "\""));
        }

        public Optional<Fields> object(String name) {
            return fields.get(name) instanceof Fields object ? Optional.of(object) : Optional.empty();
        }

        public Optional<List<JsonValue>> items(String name) {
            return fields.get(name) instanceof Items(List<JsonValue> items) ? Optional.of(items) : Optional.empty();
        }
    }

    /** The document is no JSON, or too deep. */
    final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        public Malformed(String why) {
            super(why);
        }
    }

    /** Reads any value. */
    static JsonValue parse(String document) throws Malformed {
        try (JsonParser parser = JsonReading.FACTORY.createParser(ObjectReadContext.empty(), document)) {
            return JsonReading.document(parser);
        }
    }

    /** Reads one object in UTF-8. */
    static Fields parse(byte[] document) throws Malformed {
        try (JsonParser parser = JsonReading.FACTORY.createParser(ObjectReadContext.empty(), document)) {
            if (JsonReading.document(parser) instanceof Fields fields) {
                return fields;
            }
            throw new Malformed("it is no JSON object");
        }
    }

    /** Returns its members if it is an object, else none. */
    default Fields orNoFields() {
        return this instanceof Fields fields ? fields : Fields.NONE;
    }
}
