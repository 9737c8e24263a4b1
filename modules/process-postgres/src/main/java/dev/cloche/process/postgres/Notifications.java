package dev.cloche.process.postgres;

import dev.cloche.process.Change;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The texts of notifications: a line with the sender, then a line per change with its parts between tabs. Names in the
 * registry have no control characters. Stateless.
 */
final class Notifications {
    /** PostgreSQL refuses payloads of 8000 bytes or more. */
    private static final int MOST_BYTES = 7_900;

    private static final String ANYTHING = "*";

    private Notifications() {}

    /** Says what one notification says; no changes means that anything may have been committed. */
    record Message(String sender, Optional<List<Change>> changes) {}

    /** As few texts as hold all changes. */
    static List<String> write(String sender, Collection<Change> changes) {
        List<String> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder(sender);
        int bytes = sender.length();
        for (Change change : changes) {
            String line = "\n" + line(change);
            int more = line.getBytes(StandardCharsets.UTF_8).length;
            if (bytes + more > MOST_BYTES && bytes > sender.length()) {
                texts.add(text.toString());
                text = new StringBuilder(sender);
                bytes = sender.length();
            }
            text.append(line);
            bytes += more;
        }
        texts.add(text.toString());
        return texts;
    }

    /** For when there is too much to say. */
    static String anything(String sender) {
        return sender + "\n" + ANYTHING;
    }

    private static String line(Change change) {
        return PostgresRows.word(change.kind()) + "\t" + change.sequence() + "\t"
                + change.eventType().orElse("") + "\t" + change.processId();
    }

    /** What cannot be read, for instance from a newer program, means anything. */
    static Message read(String text) {
        List<String> lines = text.lines().toList();
        String sender = lines.isEmpty() ? "" : lines.getFirst();
        List<Change> changes = new ArrayList<>();
        for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
            List<String> parts = List.of(line.split("\t", -1));
            if (parts.size() != 4) {
                return new Message(sender, Optional.empty());
            }
            try {
                changes.add(new Change(
                        parts.get(3),
                        PostgresRows.kind(parts.get(0)),
                        Long.parseLong(parts.get(1)),
                        Optional.of(parts.get(2)).filter(type -> !type.isEmpty())));
            } catch (IllegalArgumentException unknown) {
                return new Message(sender, Optional.empty());
            }
        }
        return new Message(sender, Optional.of(List.copyOf(changes)));
    }
}
