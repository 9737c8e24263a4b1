package dev.cloche.vm;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads JSON objects without nesting, which is all that the guard writes. */
final class FlatJson {
    static final JsonFactory FACTORY = JsonFactory.builder().build();

    private FlatJson() {}

    /** Strings as String, integers as Long, booleans as Boolean; a null is left out. */
    static Map<String, Object> read(byte[] json) throws IOException {
        Map<String, Object> values = new HashMap<>();
        try (JsonParser in = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("no JSON object");
            }
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                JsonToken token = in.nextToken();
                switch (token) {
                    case VALUE_STRING -> values.put(name, in.getString());
                    case VALUE_NUMBER_INT -> values.put(name, in.getLongValue());
                    case VALUE_TRUE, VALUE_FALSE -> values.put(name, in.getBooleanValue());
                    case VALUE_NULL -> values.remove(name);
                    default -> throw new IOException("unexpected " + token + " of " + name);
                }
            }
            return values;
        } catch (JacksonException e) {
            throw new IOException("no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
