package dev.cloche.process.store;

import dev.cloche.process.ProcessException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a point of a feed whose entries are numbered in the order of their commits.
 *
 * @param position of the last entry that was read
 * @param since where the feed ended when its reader began at the beginning, until it has got there; 0 after that. What
 *     was pruned before means nothing to it
 */
public record FeedPositions(long position, long since) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");

    /** Returns the positions before the first entry, for a reader who comes now. */
    public static FeedPositions beginning(long last) {
        return new FeedPositions(0, last);
    }

    public static FeedPositions at(long position) {
        return new FeedPositions(position, 0);
    }

    /**
     * Returns where a page has brought its reader: behind its last entry, or, if there were no more, behind what was left
     * out.
     */
    public FeedPositions after(long lastRead, boolean more) {
        long reached = Math.max(position, lastRead);
        return reached >= since || !more ? at(Math.max(reached, since)) : new FeedPositions(reached, since);
    }

    /** Returns whether there may be gaps behind it in a feed of which all prunes up to a position are forgotten. */
    public boolean isBelow(long forgotten) {
        return Math.max(position, since) < forgotten;
    }

    public String text() {
        return since == 0 ? Long.toString(position) : position + "-" + since;
    }

    /**
     * Reads a cursor.
     *
     * @throws ProcessException.Invalid if it is no point of a feed that ends there
     */
    public static FeedPositions parse(String cursor, long last) {
        Matcher matcher = TEXT.matcher(cursor);
        if (matcher.matches()) {
            FeedPositions parsed = new FeedPositions(
                    Long.parseLong(matcher.group(1)), matcher.group(2) == null ? 0 : Long.parseLong(matcher.group(2)));
            if (Math.max(parsed.position, parsed.since) <= last) {
                return parsed;
            }
        }
        throw new ProcessException.Invalid("\"" + cursor + "\" is no point of this feed");
    }
}
