package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.erdtman.jcs.JsonCanonicalizer;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
    public static final int DEEPEST = 64;

    public static final Json NULL = new Json("null");
    public static final Json TRUE = new Json("true");
    public static final Json FALSE = new Json("false");

    private static final BigInteger LARGEST_INTEGER = BigInteger.ONE.shiftLeft(53);
    private static final double FIRST_EXPONENT = 1e21;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxStringLength(LONGEST)
                            .maxDocumentLength(LONGEST)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

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
        if (text.length() > LONGEST) {
            throw new ProcessException.Invalid("a JSON value is longer than " + LONGEST + " characters");
        }
        check(text);
        try {
            // The canonicaliser takes only arrays and objects at the root.
            String wrapped = new JsonCanonicalizer("[" + text + "]").getEncodedString();
            return new Json(wrapped.substring(1, wrapped.length() - 1));
        } catch (IOException e) {
            throw new ProcessException.Invalid("a JSON value has no canonical form: " + e.getMessage());
        }
    }

    /** As {@link #parse}. */
    public static Json of(JsonNode node) {
        try {
            return parse(MAPPER.writeValueAsString(node));
        } catch (JacksonException e) {
            throw new ProcessException.Invalid("a JSON value cannot be written: " + e.getOriginalMessage());
        }
    }

    /** Returns a string. */
    public static Json of(String value) {
        // Most are names, of which every append has one.
        return isPlain(value) ? new Json('"' + value + '"') : parse(MAPPER.writeValueAsString(value));
    }

    /** Returns a number; its magnitude is at most 2<sup>53</sup>. */
    public static Json of(long value) {
        String text = Long.toString(value);
        return Math.abs((double) value) < LARGEST_INTEGER.doubleValue() ? new Json(text) : parse(text);
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
        return parse(members.entrySet().stream()
                .map(member -> MAPPER.writeValueAsString(member.getKey()) + ":" + member.getValue())
                .collect(Collectors.joining(",", "{", "}")));
    }

    /** Returns an array. Canonical parts in their order are canonical together. */
    public static Json array(Collection<Json> elements) {
        String text = elements.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
        return text.length() > LONGEST ? parse(text) : new Json(text);
    }

    /** For stores: takes over what {@link #text} once gave, unchecked. */
    public static Json ofCanonical(String text) {
        return new Json(text);
    }

    /** Returns the canonical text. */
    public String text() {
        return text;
    }

    /** Returns a tree of its own for every caller. */
    public JsonNode node() {
        return MAPPER.readTree(text);
    }

    private static void check(String text) {
        try (JsonParser parser = MAPPER.createParser(text)) {
            int values = 0;
            int depth = 0;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                values += depth == 0 ? 1 : 0;
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                check(token, parser);
            }
            if (values != 1) {
                throw new ProcessException.Invalid("a JSON text holds " + values + " values instead of one");
            }
        } catch (JacksonException e) {
            throw new ProcessException.Invalid("a text is no acceptable JSON: " + e.getOriginalMessage());
        }
    }

    private static void check(JsonToken token, JsonParser parser) {
        switch (token) {
            case VALUE_NUMBER_INT -> {
                if (parser.getBigIntegerValue().abs().compareTo(LARGEST_INTEGER) > 0) {
                    throw refused(parser.getString());
                }
            }
            case VALUE_NUMBER_FLOAT -> {
                double magnitude = Math.abs(parser.getDoubleValue());
                // Up to 1e21 the canonical form of such a number is that of an integer.
                if (Double.isInfinite(magnitude)
                        || (magnitude >= LARGEST_INTEGER.doubleValue() && magnitude < FIRST_EXPONENT)) {
                    throw refused(parser.getString());
                }
            }
            case VALUE_STRING, PROPERTY_NAME -> {
                if (NameRules.hasHalfACharacter(parser.getString())) {
                    throw new ProcessException.Invalid("a JSON string has an unpaired surrogate");
                }
            }
            default -> {}
        }
    }

    private static ProcessException refused(String number) {
        return new ProcessException.Invalid(
                "the number " + abbreviated(number) + " cannot be told from its neighbours");
    }

    private static String abbreviated(String number) {
        return number.length() <= 40 ? number : number.substring(0, 40) + "…";
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
