package dev.cloche.machine.config;

import dev.cloche.base.Deadline;
import dev.cloche.base.EnumNames;
import dev.cloche.machine.MachineEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Logs what happened to all machines, one JSON object a line, for people and for programs that wait. The latest half to
 * whole MiB is kept. Not forced to disk: after a crash of the host the last lines may be missing, and nothing depends on
 * them.
 */
public final class MachineEventLog {
    private static final JsonFactory JSON = JsonFactory.builder().build();
    private static final int MOST_BYTES = 512 << 10;
    private static final int LONGEST_DETAIL = 1000;
    private static final Duration LOCK_LIMIT = Duration.ofSeconds(10);

    private final Path file;
    private final Path lock;
    private final Clock clock;

    public MachineEventLog(Path base, Clock clock) {
        file = base.resolve(".events.jsonl");
        lock = base.resolve(".events.lock");
        this.clock = clock;
    }

    /** Adds an event. Never fails: what happened has happened, also where it cannot be noted. */
    public void add(String machine, MachineEvent.Kind kind, String detail) {
        String shortened = detail.length() > LONGEST_DETAIL ? detail.substring(0, LONGEST_DETAIL) : detail;
        byte[] line = json(new MachineEvent(clock.instant(), machine, kind, shortened));
        try (HeldLock _ = HeldLock.take(lock, Deadline.after(LOCK_LIMIT))
                .orElseThrow(() -> new IOException("others keep the lock"))) {
            try (FileChannel out = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
                ByteBuffer left = ByteBuffer.wrap(line);
                while (left.hasRemaining()) {
                    out.write(left);
                }
                if (out.size() > MOST_BYTES) {
                    Files.move(file, older(), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException | RuntimeException unnoted) {
            System.getLogger(MachineEventLog.class.getName())
                    .log(System.Logger.Level.DEBUG, "an event of machine " + machine + " is not noted", unnoted);
        }
    }

    /** Returns the oldest first; lines that a crash has damaged, or that have an event of a newer Cloche, are left out. */
    public List<MachineEvent> all() throws IOException {
        List<MachineEvent> events = new ArrayList<>();
        for (Path part : List.of(older(), file)) {
            try {
                for (String line : new String(Files.readAllBytes(part), StandardCharsets.UTF_8).split("\n", -1)) {
                    parse(line).ifPresent(events::add);
                }
            } catch (NoSuchFileException none) {
                // Nothing has happened yet, or not so much.
            }
        }
        return events;
    }

    private Path older() {
        return file.resolveSibling(".events.jsonl.1");
    }

    private static byte[] json(MachineEvent event) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            out.writeStartObject();
            out.writeStringProperty("time", event.time().toString());
            out.writeStringProperty("machine", event.machine());
            out.writeStringProperty("event", EnumNames.of(event.kind()));
            out.writeStringProperty("detail", event.detail());
            out.writeEndObject();
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    private static Optional<MachineEvent> parse(String line) {
        String time = "";
        String machine = "";
        String what = "";
        String detail = "";
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), line)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                return Optional.empty();
            }
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                if (in.nextToken() != JsonToken.VALUE_STRING) {
                    return Optional.empty();
                }
                switch (name) {
                    case "time" -> time = in.getString();
                    case "machine" -> machine = in.getString();
                    case "event" -> what = in.getString();
                    case "detail" -> detail = in.getString();
                    default -> {
                        // Of a newer Cloche.
                    }
                }
            }
            Optional<MachineEvent.Kind> kind = EnumNames.find(MachineEvent.Kind.class, what);
            return kind.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new MachineEvent(Instant.parse(time), machine, kind.get(), detail));
        } catch (JacksonException | DateTimeParseException damaged) {
            return Optional.empty();
        }
    }
}
