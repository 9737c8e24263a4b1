package dev.cloche.process.value;

import dev.cloche.base.JsonValue;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes JSON in its canonical form, RFC 8785. Stateless. */
public final class CanonicalJson {
    /** The largest integer below which a double can be told from its neighbours. */
    private static final long LARGEST_INTEGER = 1L << 53;

    /** Up to here the canonical form of a number without a fraction is that of an integer. */
    private static final double FIRST_EXPONENT = 1e21;

    private static final int LONGEST_QUOTE = 40;

    private CanonicalJson() {}

    /**
     * Returns the text.
     *
     * @throws ProcessException.Invalid if it is too long or too deep, or holds a number or a string that has no canonical
     *     form
     */
    public static String write(JsonValue value) {
        StringBuilder text = new StringBuilder();
        write(value, 0, text);
        requireLength(text.length());
        return text.toString();
    }

    /**
     * Accepts the length of a text.
     *
     * @throws ProcessException.Invalid if it is too long
     */
    public static void requireLength(int characters) {
        if (characters > Json.LONGEST) {
            throw new ProcessException.Invalid("a JSON value is longer than " + Json.LONGEST + " characters");
        }
    }

    private static void write(JsonValue value, int depth, StringBuilder text) {
        if (depth > Json.DEEPEST) {
            throw new ProcessException.Invalid("a JSON value is deeper than " + Json.DEEPEST + " levels");
        }
        requireLength(text.length());
        switch (value) {
            case JsonValue.Fields(Map<String, JsonValue> fields) -> {
                text.append('{');
                // A tree sorts by UTF-16 units, as section 3.2.3 wants it.
                new TreeMap<>(fields).forEach((name, field) -> {
                    separate(text, '{');
                    write(name, text);
                    text.append(':');
                    write(field, depth + 1, text);
                });
                text.append('}');
            }
            case JsonValue.Items(List<JsonValue> items) -> {
                text.append('[');
                for (JsonValue item : items) {
                    separate(text, '[');
                    write(item, depth + 1, text);
                }
                text.append(']');
            }
            case JsonValue.Text(String string) -> write(string, text);
            case JsonValue.Numeral number -> text.append(number(number));
            case JsonValue.Literal literal ->
                text.append(
                        switch (literal) {
                            case TRUE -> "true";
                            case FALSE -> "false";
                            case NULL -> "null";
                        });
        }
    }

    /** No value ends with an opening bracket. */
    private static void separate(StringBuilder text, char opening) {
        if (text.charAt(text.length() - 1) != opening) {
            text.append(',');
        }
    }

    private static void write(String string, StringBuilder text) {
        if (NameRules.hasHalfACharacter(string)) {
            throw new ProcessException.Invalid("a JSON string has an unpaired surrogate");
        }
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char each = string.charAt(i);
            switch (each) {
                case '"', '\\' -> text.append('\\').append(each);
                case '\b' -> text.append("\\b");
                case '\t' -> text.append("\\t");
                case '\n' -> text.append("\\n");
                case '\f' -> text.append("\\f");
                case '\r' -> text.append("\\r");
                default -> {
                    if (each < ' ') {
                        text.append(each < 0x10 ? "\\u000" : "\\u00").append(Integer.toHexString(each));
                    } else {
                        text.append(each);
                    }
                }
            }
        }
        text.append('"');
    }

    private static String number(JsonValue.Numeral number) {
        if (number.isWhole()) {
            long value = number.whole().orElseThrow(() -> refused(number));
            if (value > LARGEST_INTEGER || value < -LARGEST_INTEGER) {
                throw refused(number);
            }
            return Long.toString(value);
        }
        double magnitude = Math.abs(number.nearest());
        if (Double.isInfinite(magnitude) || (magnitude >= LARGEST_INTEGER && magnitude < FIRST_EXPONENT)) {
            throw refused(number);
        }
        return EcmaNumber.text(number.nearest());
    }

    private static ProcessException refused(JsonValue.Numeral number) {
        String digits = number.digits();
        String quoted = digits.length() <= LONGEST_QUOTE ? digits : digits.substring(0, LONGEST_QUOTE) + "…";
        return new ProcessException.Invalid("the number " + quoted + " cannot be told from its neighbours");
    }
}
