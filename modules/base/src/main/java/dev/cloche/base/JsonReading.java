package dev.cloche.base;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** Builds a {@link JsonValue} of what a parser streams. Stateless. */
final class JsonReading {
    static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(JsonValue.DEEPEST)
                    .build())
            .build();

    private JsonReading() {}

    static JsonValue document(JsonParser parser) throws JsonValue.Malformed {
        try {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new JsonValue.Malformed("it is empty");
            }
            JsonValue value = value(parser, first);
            if (parser.nextToken() != null) {
                throw new JsonValue.Malformed("something follows its end");
            }
            return value;
        } catch (JacksonException e) {
            throw new JsonValue.Malformed(e.getOriginalMessage());
        }
    }

    private static JsonValue value(JsonParser parser, @Nullable JsonToken token) throws JsonValue.Malformed {
        return switch (token) {
            case START_OBJECT -> fields(parser);
            case START_ARRAY -> items(parser);
            case VALUE_STRING -> new JsonValue.Text(parser.getString());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new JsonValue.Numeral(parser.getString());
            case VALUE_TRUE -> JsonValue.Literal.TRUE;
            case VALUE_FALSE -> JsonValue.Literal.FALSE;
            case VALUE_NULL -> JsonValue.Literal.NULL;
            case null, default -> throw new JsonValue.Malformed("it ends in the middle");
        };
    }

    private static JsonValue.Fields fields(JsonParser parser) throws JsonValue.Malformed {
        Map<String, JsonValue> fields = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            fields.put(name, value(parser, parser.nextToken()));
        }
        return new JsonValue.Fields(fields);
    }

    private static JsonValue.Items items(JsonParser parser) throws JsonValue.Malformed {
        List<JsonValue> items = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            items.add(value(parser, token));
        }
        return new JsonValue.Items(items);
    }
}
