package dev.cloche.interpreter.protocol;

import dev.cloche.base.JsonValue;
import dev.cloche.interpreter.CellError;
import dev.cloche.interpreter.MimeBundle;
import dev.cloche.vm.Output;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Reads what a guest says as what a driver may say: each word of it is looked at, for code in the guest can forge it. Stateless. */
final class AnswerReading {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(JsonValue.DEEPEST)
                    .build())
            .build();
    private static final int HIGHEST_CODE = 255;
    private static final int MOST_TYPES = 32;
    private static final int LONGEST_TYPE = 100;
    static final int MOST_FRAMES = 65;
    static final int LONGEST_WORDS = 16 << 10;

    private AnswerReading() {}

    static Answer answer(FrameStream.Frame frame) throws BrokenFrame {
        JsonValue.Fields header = frame.header();
        try {
            String type = header.requireText("type");
            boolean hasPayload = frame.payload().length > 0;
            return switch (type) {
                case "stdout" -> new Answer.Written(Output.STDOUT, frame.payload());
                case "stderr" -> new Answer.Written(Output.STDERR, frame.payload());
                case "display" -> shown(header, frame.payload());
                case String _ when hasPayload -> throw new BrokenFrame("it has bytes that belong to nothing");
                case "driver" -> new Answer.Driver(words(header.requireText("version")));
                case "refused" -> new Answer.Refused();
                case "ready" -> new Answer.Ready();
                case "error" -> thrown(header);
                case "done" -> done(header.requireText("status"));
                case "checked" -> new Answer.Checked(flag(header, "complete"));
                case "ended" -> new Answer.Ended(number(header, "code", -HIGHEST_CODE, HIGHEST_CODE));
                default -> throw new BrokenFrame("it is of no kind that is known");
            };
        } catch (NoSuchElementException missing) {
            throw new BrokenFrame("something is missing in it");
        }
    }

    private static Answer done(String status) throws BrokenFrame {
        return switch (status) {
            case "ok", "error" -> new Answer.Done(false);
            case "interrupted" -> new Answer.Done(true);
            default -> throw new BrokenFrame("it has an end of no kind that is known");
        };
    }

    private static Answer shown(JsonValue.Fields header, byte[] payload) throws BrokenFrame {
        boolean truncated = flag(header, "cut");
        Map<String, byte[]> forms = new LinkedHashMap<>();
        long at = 0;
        for (JsonValue entry : list(header, "forms")) {
            if (!(entry instanceof JsonValue.Items(List<JsonValue> pair))
                    || pair.size() != 2
                    || !(pair.getFirst() instanceof JsonValue.Text(String type))
                    || !(pair.getLast() instanceof JsonValue.Numeral length)
                    || !isType(type)) {
                throw new BrokenFrame("it has a form that is none");
            }
            long size = length.whole().orElse(-1);
            if (size < 0 || size > payload.length - at) {
                throw new BrokenFrame("it has a form of another length than it says");
            }
            byte[] data = Arrays.copyOfRange(payload, (int) at, (int) (at + size));
            at += size;
            if (forms.size() == MOST_TYPES || (type.equals("application/json") && !isJson(data))) {
                truncated = true;
            } else if (forms.put(type, data) != null) {
                throw new BrokenFrame("it has a form twice");
            }
        }
        if (at != payload.length) {
            throw new BrokenFrame("it has bytes that belong to nothing");
        }
        return new Answer.Shown(MimeBundle.of(forms), flag(header, "result"), truncated, at);
    }

    private static boolean isType(String type) {
        return !type.isEmpty() && type.length() <= LONGEST_TYPE && type.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    /** Returns whether it is JSON, of no more than the depth that is read. Builds nothing of it: it may have millions of parts. */
    private static boolean isJson(byte[] data) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), data)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JacksonException malformed) {
            return false;
        }
    }

    private static Answer thrown(JsonValue.Fields header) throws BrokenFrame {
        List<CellError.Frame> frames = new ArrayList<>();
        List<JsonValue> listed = list(header, "frames");
        for (JsonValue listedFrame : listed.subList(0, Math.min(listed.size(), MOST_FRAMES))) {
            JsonValue.Fields frame = listedFrame.orNoFields();
            frames.add(new CellError.Frame(
                    words(frame.requireText("file")),
                    number(frame, "line", 0, Integer.MAX_VALUE),
                    words(frame.requireText("function")),
                    words(frame.requireText("source"))));
        }
        String name = header.requireText("name");
        String value = header.requireText("value");
        boolean truncated = flag(header, "cut")
                || listed.size() > MOST_FRAMES
                || Math.max(name.length(), value.length()) > LONGEST_WORDS;
        return new Answer.Thrown(new CellError(words(name), words(value), frames), truncated);
    }

    private static String words(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST_WORDS));
    }

    private static List<JsonValue> list(JsonValue.Fields fields, String name) {
        return fields.items(name).orElseThrow();
    }

    private static boolean flag(JsonValue.Fields fields, String name) throws BrokenFrame {
        return switch (fields.require(name)) {
            case JsonValue.Literal.TRUE -> true;
            case JsonValue.Literal.FALSE -> false;
            default -> throw new BrokenFrame("\"" + name + "\" is neither true nor false");
        };
    }

    private static int number(JsonValue.Fields fields, String name, int least, int most) throws BrokenFrame {
        long number = fields.requireWhole(name);
        if (number < least || number > most) {
            throw new BrokenFrame("\"" + name + "\" is out of its range");
        }
        return (int) number;
    }
}
