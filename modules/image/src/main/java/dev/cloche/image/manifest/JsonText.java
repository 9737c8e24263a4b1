package dev.cloche.image.manifest;

import dev.cloche.base.JsonValue;
import dev.cloche.image.Digest;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes small JSON documents of our own, and reads its lists and maps of texts again. Stateless. */
public final class JsonText {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    private JsonText() {}

    /** Reads what {@link #write(List)} wrote. */
    public static List<String> readList(String json) {
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
    public static Map<String, String> readMap(String json) {
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

    public static String write(String value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeString(value);
        }
        return text.toString();
    }

    public static String write(List<String> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeStartArray();
            values.forEach(generator::writeString);
            generator.writeEndArray();
        }
        return text.toString();
    }

    public static String write(Map<String, String> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeStartObject();
            values.forEach(generator::writeStringProperty);
            generator.writeEndObject();
        }
        return text.toString();
    }

    /** Returns an object of our own making: texts, longs, values that were read, lists and maps of these, in their order. */
    public static byte[] document(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a descriptor for {@link #document}. */
    public static Map<String, Object> descriptor(String mediaType, Digest digest, long size) {
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
            case JsonValue.Text(String text) -> generator.writeString(text);
            case JsonValue.Numeral(String digits) -> generator.writeNumber(digits);
            case JsonValue.Literal literal ->
                generator.writeRawValue(literal.name().toLowerCase(Locale.ROOT));
            case JsonValue.Items(List<JsonValue> items) -> write(generator, items);
            case JsonValue.Fields(Map<String, JsonValue> fields) -> write(generator, fields);
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
}
