package dev.cloche.sandbox.reconcile;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * Notes what one sweep leaves to the next, of this process or another.
 *
 * @param after the last sandbox that was looked at, if time or a limit ended the sweep there; 0 to begin with the first
 * @param removalsFirst whether the last sweep had no time left to remove anything
 * @param removedAfter the last ended sandbox that it tried to remove, if a limit ended it there; 0 to begin with the
 *     first
 * @param ownerless by sandbox: when a sweep first saw its VM alive and its owner dead
 */
public record SweepNote(long after, boolean removalsFirst, long removedAfter, Map<Long, Instant> ownerless) {
    public static final SweepNote FIRST = new SweepNote(0, false, 0, Map.of());

    /** More of them at once would be a host whose guards are all broken; the others wait for a later sweep. */
    static final int MOST_OWNERLESS = 1_000;

    private static final String VERSION = "1";

    public SweepNote {
        ownerless = Map.copyOf(ownerless);
    }

    Optional<Instant> ownerlessSince(long id) {
        return Optional.ofNullable(ownerless.get(id));
    }

    /** Returns one line: version, the three positions, then {@code id@milliseconds} for each that has no owner. */
    public String text() {
        StringJoiner words = new StringJoiner(" ");
        words.add(VERSION)
                .add(Long.toString(after))
                .add(removalsFirst ? "1" : "0")
                .add(Long.toString(removedAfter));
        ownerless.forEach((id, since) -> words.add(id + "@" + since.toEpochMilli()));
        return words.toString();
    }

    /** Parses a note; one that is not understood is of another version, and as good as none. */
    public static SweepNote parse(String text) {
        String[] words = text.split(" ", -1);
        if (words.length < 4 || !words[0].equals(VERSION)) {
            return FIRST;
        }
        try {
            Map<Long, Instant> ownerless = new LinkedHashMap<>();
            for (int i = 4; i < words.length; i++) {
                int at = words[i].indexOf('@');
                ownerless.put(
                        Long.parseLong(words[i], 0, at, 10),
                        Instant.ofEpochMilli(Long.parseLong(words[i], at + 1, words[i].length(), 10)));
            }
            return new SweepNote(Long.parseLong(words[1]), words[2].equals("1"), Long.parseLong(words[3]), ownerless);
        } catch (NumberFormatException | IndexOutOfBoundsException damaged) {
            return FIRST;
        }
    }
}
