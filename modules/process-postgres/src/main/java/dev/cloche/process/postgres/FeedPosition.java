package dev.cloche.process.postgres;

import dev.cloche.process.ProcessException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Describes a point of the change feed.
 *
 * @param horizon a transaction id, which is 64 bits wide and has no sign
 * @param id of the row
 */
record FeedPosition(String horizon, long id) implements Comparable<FeedPosition> {
    static final FeedPosition BEGINNING = new FeedPosition("0", 0);

    private static final Pattern TEXT = Pattern.compile("pg:(\\d{1,20})/(\\d{1,18})");

    static FeedPosition parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || !fits(matcher.group(1))) {
            throw unknown();
        }
        return new FeedPosition(matcher.group(1), Long.parseLong(matcher.group(2)));
    }

    static ProcessException unknown() {
        return new ProcessException.Invalid("the cursor of the change feed is not one of this store");
    }

    @Override
    public int compareTo(FeedPosition other) {
        int byHorizon = Long.compareUnsigned(Long.parseUnsignedLong(horizon), Long.parseUnsignedLong(other.horizon));
        return byHorizon != 0 ? byHorizon : Long.compare(id, other.id);
    }

    private static boolean fits(String unsigned) {
        try {
            var _ = Long.parseUnsignedLong(unsigned);
            return true;
        } catch (NumberFormatException tooLarge) {
            return false;
        }
    }

    String text() {
        return "pg:" + horizon + "/" + id;
    }
}
