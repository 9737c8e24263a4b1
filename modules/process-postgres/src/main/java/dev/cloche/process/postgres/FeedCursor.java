package dev.cloche.process.postgres;

import dev.cloche.process.ProcessException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says how far a reader of the feed has come.
 *
 * @param position of the last entry that it read
 * @param since where the feed ended when it began at the beginning, until it has got there: what was pruned before means
 *     nothing to it
 */
record FeedCursor(FeedPosition position, Optional<FeedPosition> since) {
    private static final Pattern TEXT = Pattern.compile("(pg:[0-9/]+)(?:;(pg:[0-9/]+))?");

    /** @throws ProcessException.Invalid if it is no cursor of this store */
    static FeedCursor parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw FeedPosition.unknown();
        }
        return new FeedCursor(
                FeedPosition.parse(matcher.group(1)),
                Optional.ofNullable(matcher.group(2)).map(FeedPosition::parse));
    }

    /** Everything up to here was read, or means nothing. */
    FeedPosition reached() {
        return since.orElse(position);
    }

    /** Behind the last entry of a page, or, if there were no more, behind what was left out. */
    FeedCursor after(FeedPosition last, boolean more) {
        boolean there = since.isEmpty() || last.compareTo(since.get()) >= 0;
        if (there) {
            return new FeedCursor(last, Optional.empty());
        }
        return more ? new FeedCursor(last, since) : new FeedCursor(since.get(), Optional.empty());
    }

    String text() {
        return position.text() + since.map(end -> ";" + end.text()).orElse("");
    }
}
