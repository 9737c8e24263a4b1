package dev.cloche.machine.config;

import dev.cloche.machine.MachineName;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says which directory a {@code vm_id} belongs to, as it was last seen.
 *
 * @param directory its name
 * @param inode its number in its file system, which a move keeps and a copy does not have; {@link #NOT_MADE} of a machine that
 *     is being made
 */
public record DirectoryClaim(String directory, long inode) {
    static final long NOT_MADE = 0;
    private static final Pattern TEXT = Pattern.compile("1 (\\d{1,19}) ([a-z0-9-]{1,63})\n");

    static DirectoryClaim beginning(MachineName name) {
        return new DirectoryClaim(name.value(), NOT_MADE);
    }

    /** Returns what stands in its file: the version of this form, the inode and the name. */
    String text() {
        return "1 " + inode + " " + directory + "\n";
    }

    /** Parses a claim; empty if the text is none: it is then as if there were no file. */
    static Optional<DirectoryClaim> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        try {
            return matcher.matches()
                    ? Optional.of(new DirectoryClaim(matcher.group(2), Long.parseLong(matcher.group(1))))
                    : Optional.empty();
        } catch (NumberFormatException tooLarge) {
            return Optional.empty();
        }
    }
}
