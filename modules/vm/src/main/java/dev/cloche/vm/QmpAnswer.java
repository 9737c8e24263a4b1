package dev.cloche.vm;

import java.io.IOException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** One line of QEMU's monitor. What it returns beside success is nowhere needed. */
sealed interface QmpAnswer {
    /** The first line of a conversation. */
    record Greeting() implements QmpAnswer {}

    record Done() implements QmpAnswer {}

    /**
     * The command was refused.
     *
     * @param kind the class of the error, the only part that is meant for programs
     * @param sentence for people
     */
    record Refused(String kind, String sentence) implements QmpAnswer {}

    /** Something that happened meanwhile. */
    record Event() implements QmpAnswer {}

    /** Reads one line. @throws IOException if it is none of these */
    static QmpAnswer parse(byte[] line) throws IOException {
        try (JsonParser in = FlatJson.FACTORY.createParser(ObjectReadContext.empty(), line)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("its answer is no object");
            }
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                in.nextToken();
                switch (name) {
                    case "QMP" -> {
                        return new Greeting();
                    }
                    case "return" -> {
                        return new Done();
                    }
                    case "event" -> {
                        return new Event();
                    }
                    case "error" -> {
                        return refused(in);
                    }
                    default -> in.skipChildren();
                }
            }
            throw new IOException("its answer is of no known kind");
        } catch (JacksonException e) {
            throw new IOException("its answer is no JSON", e);
        }
    }

    private static Refused refused(JsonParser in) {
        String kind = "";
        String sentence = "";
        if (in.currentToken() == JsonToken.START_OBJECT) {
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                JsonToken value = in.nextToken();
                if (value == JsonToken.VALUE_STRING && name.equals("class")) {
                    kind = in.getString();
                } else if (value == JsonToken.VALUE_STRING && name.equals("desc")) {
                    sentence = in.getString();
                } else {
                    in.skipChildren();
                }
            }
        }
        return new Refused(kind, sentence);
    }
}
