package dev.cloche.vm;

import java.util.List;

/**
 * Says what a copy has made.
 *
 * @param entries files, directories and links that were made or replaced, complete
 * @param bytes the sizes of those files together, holes included
 * @param leftOut what was not copied or not as it was, at most {@link #MAX_LEFT_OUT} of them
 * @param leftOutCount all of those
 */
public record CopyReport(long entries, long bytes, List<LeftOut> leftOut, long leftOutCount) {
    /** More are only counted. */
    public static final int MAX_LEFT_OUT = 1_000;

    public CopyReport {
        leftOut = List.copyOf(leftOut);
    }

    /**
     * Something that is missing in the copy, or differs.
     *
     * @param path relative to what was copied; empty for that itself
     */
    public record LeftOut(String path, Reason reason) {}

    /** Why it is missing or differs. */
    public enum Reason {
        /** A device, FIFO or socket: those are not copied. */
        SPECIAL_FILE,
        /** It was removed while the copy was running, and is missing. */
        VANISHED,
        /** Its content was changed while it was read, and may be half old and half new. */
        CHANGED
    }
}
