package dev.cloche.image;

/**
 * Hears of the progress of a pull. Called by several threads, one at a time; it should return soon.
 *
 * <pre>{@code
 * cloche.images().pull("debian", event -> {
 *     if (event instanceof PullEvent.Progress(Digest layer, long bytes, long totalBytes)) {
 *         System.err.println(layer + ": " + bytes + " of " + totalBytes + " bytes");
 *     }
 * });
 * }</pre>
 */
@FunctionalInterface
public interface PullListener {
    /** Hears what happened. */
    void on(PullEvent event);

    /** Hears nothing. */
    static PullListener none() {
        return event -> {};
    }
}
