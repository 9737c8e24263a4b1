package dev.cloche.cli;

import java.io.PrintStream;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/** JSON on standard output; absent values are {@code null}, times are ISO 8601 in UTC. */
final class JsonOutput implements AutoCloseable {
    private final JsonGenerator generator;
    private final PrintStream out;

    JsonOutput(PrintStream out) {
        this.out = out;
        generator = new JsonFactory().createGenerator(new Indented(), out);
    }

    JsonOutput array(Runnable elements) {
        generator.writeStartArray();
        elements.run();
        generator.writeEndArray();
        return this;
    }

    JsonOutput object(Runnable fields) {
        generator.writeStartObject();
        fields.run();
        generator.writeEndObject();
        return this;
    }

    JsonOutput field(String name, String value) {
        generator.writeStringProperty(name, value);
        return this;
    }

    JsonOutput field(String name, long value) {
        generator.writeNumberProperty(name, value);
        return this;
    }

    JsonOutput field(String name, boolean value) {
        generator.writeBooleanProperty(name, value);
        return this;
    }

    JsonOutput field(String name, Instant value) {
        return field(name, value.toString());
    }

    JsonOutput field(String name, Optional<String> value) {
        if (value.isPresent()) {
            return field(name, value.get());
        }
        generator.writeNullProperty(name);
        return this;
    }

    JsonOutput field(String name, OptionalInt value) {
        if (value.isPresent()) {
            return field(name, value.getAsInt());
        }
        generator.writeNullProperty(name);
        return this;
    }

    @Override
    public void close() {
        generator.flush();
        out.println();
        out.flush();
    }

    private static final class Indented extends ObjectWriteContext.Base {
        @Override
        public DefaultPrettyPrinter getPrettyPrinter() {
            return new DefaultPrettyPrinter();
        }
    }
}
