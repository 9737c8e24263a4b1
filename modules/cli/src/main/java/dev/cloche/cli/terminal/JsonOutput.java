package dev.cloche.cli.terminal;

import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/** JSON on standard output; absent values are {@code null}, times are ISO 8601 in UTC. */
public final class JsonOutput {
    private final JsonGenerator generator;

    private JsonOutput(PrintStream out, ObjectWriteContext layout) {
        generator = new JsonFactory().createGenerator(layout, out);
    }

    /** Writes what {@code content} says, and a line's end. */
    public static void print(PrintStream out, Consumer<JsonOutput> content) {
        print(out, new JsonOutput(out, new Indented()), content);
    }

    /** Writes one object on a line of its own. */
    public static void printLine(PrintStream out, Consumer<JsonOutput> fields) {
        JsonOutput json = new JsonOutput(out, new ObjectWriteContext.Base());
        print(out, json, line -> line.object(() -> fields.accept(line)));
    }

    private static void print(PrintStream out, JsonOutput json, Consumer<JsonOutput> content) {
        content.accept(json);
        json.generator.flush();
        out.println();
        out.flush();
    }

    public JsonOutput array(Runnable elements) {
        generator.writeStartArray();
        elements.run();
        generator.writeEndArray();
        return this;
    }

    public JsonOutput object(Runnable fields) {
        generator.writeStartObject();
        fields.run();
        generator.writeEndObject();
        return this;
    }

    public JsonOutput field(String name, String value) {
        generator.writeStringProperty(name, value);
        return this;
    }

    public JsonOutput field(String name, long value) {
        generator.writeNumberProperty(name, value);
        return this;
    }

    public JsonOutput field(String name, boolean value) {
        generator.writeBooleanProperty(name, value);
        return this;
    }

    public JsonOutput field(String name, List<String> values) {
        generator.writeName(name);
        return array(() -> values.forEach(generator::writeString));
    }

    /** Writes the name of an array or object that comes next. */
    public JsonOutput name(String name) {
        generator.writeName(name);
        return this;
    }

    public JsonOutput field(String name, Instant value) {
        return field(name, value.toString());
    }

    public JsonOutput field(String name, Optional<String> value) {
        if (value.isPresent()) {
            return field(name, value.get());
        }
        generator.writeNullProperty(name);
        return this;
    }

    /** Writes JSON that is there already. */
    public JsonOutput json(String name, Optional<String> text) {
        generator.writeName(name);
        generator.writeRawValue(text.orElse("null"));
        return this;
    }

    public JsonOutput field(String name, OptionalInt value) {
        if (value.isPresent()) {
            return field(name, value.getAsInt());
        }
        generator.writeNullProperty(name);
        return this;
    }

    public JsonOutput field(String name, OptionalLong value) {
        if (value.isPresent()) {
            return field(name, value.getAsLong());
        }
        generator.writeNullProperty(name);
        return this;
    }

    private static final class Indented extends ObjectWriteContext.Base {
        @Override
        public DefaultPrettyPrinter getPrettyPrinter() {
            return new DefaultPrettyPrinter();
        }
    }
}
