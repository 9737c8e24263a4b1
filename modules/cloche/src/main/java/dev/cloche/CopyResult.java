package dev.cloche;

import java.util.List;

/**
 * What a copy has made.
 *
 * <pre>{@code
 * CopyResult result = sandbox.files().copyOut("/work/out", Path.of("out"));
 * result.leftOut().forEach(file -> System.err.println(file.path() + ": " + file.reason()));
 * }</pre>
 *
 * @param entries files, directories and links that were made or replaced
 * @param bytes the sizes of those files together, holes included
 * @param leftOut what is missing in the copy, or differs; the first 1,000 of it
 * @param leftOutCount all of that
 */
public record CopyResult(long entries, long bytes, List<LeftOut> leftOut, long leftOutCount) {
    public CopyResult {
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
