package dev.cloche.image.manifest;

import dev.cloche.image.Digest;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Holds a small JSON document in memory. Documents come from strangers, so their depth is bounded here and their length by the
 * caller that read them, and a name that stands twice in an object is refused: readers would differ about it.
 */
public sealed interface JsonValue {
    record Text(String value) implements JsonValue {}

    record Whole(long value) implements JsonValue {}

    /** Describes a list; elements keep their order. */
    record Items(List<JsonValue> items) implements JsonValue {}

    /** Booleans, null and numbers that are not whole: nothing here asks for their value. */
    record Other() implements JsonValue {}

    /** Describes an object; absent names and those of another type read the same. */
    record Fields(Map<String, JsonValue> fields) implements JsonValue {
        boolean has(String name) {
            return fields.containsKey(name);
        }

        public Optional<String> text(String name) {
            return fields.get(name) instanceof Text(String value) ? Optional.of(value) : Optional.empty();
        }

        OptionalLong whole(String name) {
            return fields.get(name) instanceof Whole(long value) ? OptionalLong.of(value) : OptionalLong.empty();
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

    int DEEPEST = 32;

    JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build();

    /** Reads one object. */
    static Fields parse(byte[] document) throws Malformed {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), document)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new Malformed("it is no JSON object");
            }
            Fields fields = fields(parser);
            if (parser.nextToken() != null) {
                throw new Malformed("something follows its end");
            }
            return fields;
        } catch (JacksonException e) {
            throw new Malformed(e.getOriginalMessage());
        }
    }

    /** Reads what {@link #write(List)} wrote. */
    static List<String> readList(String json) {
        List<String> values = new ArrayList<>();
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.VALUE_STRING) {
                values.add(parser.getString());
            }
        }
        return values;
    }

    /** Reads what {@link #write(Map)} wrote. */
    static Map<String, String> readMap(String json) {
        Map<String, String> values = new LinkedHashMap<>();
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                values.put(name, parser.getString());
            }
        }
        return values;
    }

    static String write(String value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeString(value);
        }
        return text.toString();
    }

    static String write(List<String> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeStartArray();
            values.forEach(generator::writeString);
            generator.writeEndArray();
        }
        return text.toString();
    }

    static String write(Map<String, String> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeStartObject();
            values.forEach(generator::writeStringProperty);
            generator.writeEndObject();
        }
        return text.toString();
    }

    /** Returns an object of our own making: texts, longs, lists and maps of these, in their order. */
    static byte[] document(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a descriptor for {@link #document}. */
    static Map<String, Object> descriptor(String mediaType, Digest digest, long size) {
        Map<String, Object> descriptor = new LinkedHashMap<>();
        descriptor.put("mediaType", mediaType);
        descriptor.put("digest", digest.toString());
        descriptor.put("size", size);
        return descriptor;
    }

    private static void write(JsonGenerator generator, Object value) {
        switch (value) {
            case String text -> generator.writeString(text);
            case Long number -> generator.writeNumber(number);
            case List<?> items -> {
                generator.writeStartArray();
                items.forEach(item -> write(generator, item));
                generator.writeEndArray();
            }
            case Map<?, ?> fields -> {
                generator.writeStartObject();
                fields.forEach((name, field) -> {
                    generator.writeName(String.valueOf(name));
                    write(generator, field);
                });
                generator.writeEndObject();
            }
            default -> throw new IllegalArgumentException("no part of a document: " + value);
        }
    }

    private static JsonValue value(JsonParser parser, JsonToken token) throws Malformed {
        return switch (token) {
            case START_OBJECT -> fields(parser);
            case START_ARRAY -> items(parser);
            case VALUE_STRING -> new Text(parser.getString());
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT, LONG -> new Whole(parser.getLongValue());
                    default -> new Other();
                };
            case VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> new Other();
            default -> throw new Malformed("it ends in the middle");
        };
    }

    private static Fields fields(JsonParser parser) throws Malformed {
        Map<String, JsonValue> fields = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            fields.put(name, value(parser, parser.nextToken()));
        }
        return new Fields(fields);
    }

    private static Items items(JsonParser parser) throws Malformed {
        List<JsonValue> items = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            items.add(value(parser, token));
        }
        return new Items(items);
    }
}
