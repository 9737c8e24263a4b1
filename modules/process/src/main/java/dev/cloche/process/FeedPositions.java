package dev.cloche.process;

/** The cursors of feeds whose entries are numbered in the order of their commits. Stateless. */
final class FeedPositions {
    private FeedPositions() {}

    static String format(long position) {
        return Long.toString(position);
    }

    static long parse(String cursor) {
        try {
            long position = Long.parseLong(cursor);
            if (position >= 0) {
                return position;
            }
        } catch (NumberFormatException e) {
            // Told apart from nothing below.
        }
        throw unknown(cursor);
    }

    static ProcessException unknown(String cursor) {
        return new ProcessException.Invalid("\"" + cursor + "\" is no point of this feed");
    }
}
