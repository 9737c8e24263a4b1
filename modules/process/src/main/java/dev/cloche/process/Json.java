package dev.cloche.process;

import dev.cloche.base.JsonValue;
import dev.cloche.process.value.CanonicalJson;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A JSON value in the one form in which the registry keeps, compares and hashes JSON: RFC 8785. Two values are equal
 * exactly if their canonical texts are.
 *
 * <p>Numbers are IEEE doubles there, so an integer beyond 2<sup>53</sup> would be taken for its neighbour: it is refused;
 * write it as a string. Immutable.
 */
public final class Json {
    /** The longest text that is accepted, in characters. */
    public static final int LONGEST = 1 << 20;

    /** The deepest nesting that is accepted. */
    public static final int DEEPEST = JsonValue.DEEPEST;

    public static final Json NULL = new Json("null");
    public static final Json TRUE = new Json("true");
    public static final Json FALSE = new Json("false");

    private static final long LARGEST_INTEGER = 1L << 53;

    private final String text;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Reads any JSON text.
     *
     * @throws ProcessException.Invalid if it is no JSON, names a member twice, is too long or too deep, or holds a
     *     number or a string that has no canonical form
     */
    public static Json parse(String text) {
        CanonicalJson.requireLength(text.length());
        try {
            return of(JsonValue.parse(text));
        } catch (JsonValue.Malformed e) {
            throw new ProcessException.Invalid("a text is no acceptable JSON: " + e.getMessage());
        }
    }

    /**
     * Returns the canonical form of a tree.
     *
     * @throws ProcessException.Invalid if it is too long or too deep, or holds a number or a string that has no canonical
     *     form
     */
    public static Json of(JsonValue value) {
        return new Json(CanonicalJson.write(value));
    }

    /** Returns a string. */
    public static Json of(String value) {
        // Most are names, of which every append has one.
        return isPlain(value) ? new Json('"' + value + '"') : of(new JsonValue.Text(value));
    }

    /** Returns a number; its magnitude is at most 2<sup>53</sup>. */
    public static Json of(long value) {
        String text = Long.toString(value);
        return value > -LARGEST_INTEGER && value < LARGEST_INTEGER ? new Json(text) : parse(text);
    }

    /** Returns whether it stands in its canonical form as it is: RFC 8785 escapes only these, and control characters. */
    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each < ' ' || each == '"' || each == '\\' || Character.isSurrogate(each)) {
                return false;
            }
        }
        return value.length() < LONGEST - 2;
    }

    public static Json of(boolean value) {
        return value ? TRUE : FALSE;
    }

    /** Returns an object. */
    public static Json object(Map<String, Json> members) {
        Map<String, JsonValue> fields = new HashMap<>();
        members.forEach((name, value) -> fields.put(name, value.tree()));
        return of(new JsonValue.Fields(fields));
    }

    /** Returns an array. Canonical parts in their order are canonical together. */
    public static Json array(Collection<Json> elements) {
        String text = elements.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
        return text.length() > LONGEST ? parse(text) : new Json(text);
    }

    /** Takes over for a store what {@link #text} once gave, unchecked. */
    public static Json ofCanonical(String text) {
        return new Json(text);
    }

    /** Returns the canonical text. */
    public String text() {
        return text;
    }

    /** Returns the value as a tree. */
    public JsonValue tree() {
        try {
            return JsonValue.parse(text);
        } catch (JsonValue.Malformed e) {
            // An array of what is as deep as anything may be.
            throw new ProcessException.Invalid("a JSON value cannot be read: " + e.getMessage());
        }
    }

    /** Returns its members if it is an object, else none. */
    public JsonValue.Fields fields() {
        return tree().orNoFields();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Json json && json.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
