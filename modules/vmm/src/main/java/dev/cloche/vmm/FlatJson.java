package dev.cloche.vmm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** JSON objects without nesting, which is all that this room and the guard keep in files. */
public final class FlatJson {
    public static final JsonFactory FACTORY = JsonFactory.builder().build();
    private static final int MAX_FILE = 256 * 1024;

    private FlatJson() {}

    /** Reads a file of at most 256 KiB. */
    public static Map<String, Object> read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] json = in.readNBytes(MAX_FILE + 1);
            if (json.length > MAX_FILE) {
                throw new IOException("it is too long");
            }
            return read(json);
        }
    }

    /** Strings as String, integers as Long, booleans as Boolean; a null is left out. */
    public static Map<String, Object> read(byte[] json) throws IOException {
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
            if (in.currentToken() != JsonToken.END_OBJECT) {
                throw new IOException("it ends too early");
            }
            return values;
        } catch (JacksonException e) {
            throw new IOException("no JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Writes what {@link #read(byte[])} reads, in the order of the map. */
    public static byte[] write(Map<String, Object> values) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        try (JsonGenerator out = FACTORY.createGenerator(ObjectWriteContext.empty(), json)) {
            out.writeStartObject();
            values.forEach((name, value) -> {
                out.writeName(name);
                switch (value) {
                    case String text -> out.writeString(text);
                    case Long number -> out.writeNumber(number);
                    case Boolean truth -> out.writeBoolean(truth);
                    default -> throw new IllegalArgumentException("no flat JSON: " + value.getClass());
                }
            });
            out.writeEndObject();
        }
        json.write('\n');
        return json.toByteArray();
    }
}
