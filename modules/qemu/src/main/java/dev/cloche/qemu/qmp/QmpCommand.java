package dev.cloche.qemu.qmp;

import dev.cloche.vmm.FlatJson;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * Describes a command of QEMU's monitor.
 *
 * @param arguments text, whole numbers, truth values, or maps and lists of these
 */
public record QmpCommand(String name, Map<String, Object> arguments) {
    public QmpCommand {
        arguments = Map.copyOf(arguments);
    }

    public static QmpCommand of(String name) {
        return new QmpCommand(name, Map.of());
    }

    /** As QEMU reads it: one object, one line. */
    byte[] line() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try (JsonGenerator out = FlatJson.FACTORY.createGenerator(ObjectWriteContext.empty(), line)) {
            write(out, Map.of("execute", name, "arguments", arguments));
        }
        line.write('\n');
        return line.toByteArray();
    }

    private static void write(JsonGenerator out, Object value) {
        switch (value) {
            case String text -> out.writeString(text);
            case Integer number -> out.writeNumber(number);
            case Long number -> out.writeNumber(number);
            case List<?> elements -> {
                out.writeStartArray();
                elements.forEach(element -> write(out, element));
                out.writeEndArray();
            }
            case Boolean truth -> out.writeBoolean(truth);
            case Map<?, ?> fields -> {
                out.writeStartObject();
                fields.forEach((key, field) -> {
                    out.writeName(String.valueOf(key));
                    write(out, field);
                });
                out.writeEndObject();
            }
            default -> throw new IllegalArgumentException("no JSON: " + value.getClass());
        }
    }
}
