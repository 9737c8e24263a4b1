package dev.cloche.qemu.qmp;

import dev.cloche.vmm.FlatJson;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** One line of QEMU's monitor. */
public sealed interface QmpAnswer {
    /** Describes the first line of a conversation. */
    record Greeting() implements QmpAnswer {}

    /**
     * Success.
     *
     * @param texts the text fields of the object that it returns, one level deep
     * @param count how many elements there are in the list that it returns
     */
    record Done(Map<String, String> texts, int count) implements QmpAnswer {
        public Done {
            texts = Map.copyOf(texts);
        }
    }

    /**
     * The command was refused.
     *
     * @param kind the class of the error, the only part that is meant for programs
     * @param sentence for people
     */
    public record Refused(String kind, String sentence) implements QmpAnswer {}

    /**
     * Something that happened meanwhile.
     *
     * @param name empty if it has none
     * @param texts the text fields of its data
     */
    record Event(String name, Map<String, String> texts) implements QmpAnswer {
        public Event {
            texts = Map.copyOf(texts);
        }
    }

    /**
     * Reads one line.
     *
     * @throws IOException if it is none of these
     */
    static QmpAnswer parse(byte[] line) throws IOException {
        try (JsonParser in = FlatJson.FACTORY.createParser(ObjectReadContext.empty(), line)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("its answer is no object");
            }
            String event = "";
            boolean isEvent = false;
            Map<String, String> data = Map.of();
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                JsonToken value = in.nextToken();
                switch (name) {
                    case "QMP" -> {
                        return new Greeting();
                    }
                    case "return" -> {
                        return done(in);
                    }
                    case "error" -> {
                        Map<String, String> error = texts(in);
                        return new Refused(error.getOrDefault("class", ""), error.getOrDefault("desc", ""));
                    }
                    case "event" -> {
                        isEvent = true;
                        event = value == JsonToken.VALUE_STRING ? in.getString() : "";
                    }
                    case "data" -> data = texts(in);
                    default -> in.skipChildren();
                }
            }
            if (isEvent) {
                return new Event(event, data);
            }
            throw new IOException("its answer is of no known kind");
        } catch (JacksonException e) {
            throw new IOException("its answer is no JSON", e);
        }
    }

    private static Done done(JsonParser in) {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            return new Done(texts(in), 0);
        }
        int count = 0;
        while (in.nextToken() != JsonToken.END_ARRAY && in.currentToken() != null) {
            in.skipChildren();
            count++;
        }
        return new Done(Map.of(), count);
    }

    /** Returns the text fields of the object that the parser stands at; what else is there is passed over. */
    private static Map<String, String> texts(JsonParser in) {
        Map<String, String> texts = new HashMap<>();
        if (in.currentToken() == JsonToken.START_OBJECT) {
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                if (in.nextToken() == JsonToken.VALUE_STRING) {
                    texts.put(name, in.getString());
                } else {
                    in.skipChildren();
                }
            }
        } else {
            in.skipChildren();
        }
        return texts;
    }
}
