package dev.cloche;

/**
 * Told how far a pull is, from the threads that do it; must be quick and thread-safe.
 *
 * <pre>{@code
 * cloche.images().pull("debian", (layer, phase, done, total) -> System.err.println(layer + " " + phase + " " + done));
 * }</pre>
 */
@FunctionalInterface
public interface PullProgress {
    /** What happens to a layer. */
    enum Phase {
        /** Being fetched and converted. */
        PULLING,
        /** On disk. */
        DONE,
        /** Was on disk already. */
        PRESENT
    }

    /**
     * A layer has come so far.
     *
     * @param layer short digest of the layer
     * @param phase what happens to it
     * @param doneBytes compressed bytes fetched so far
     * @param totalBytes compressed size, or -1 where it is not known
     */
    void layer(String layer, Phase phase, long doneBytes, long totalBytes);

    /**
     * Something about the image is odd, and does no harm: a part of its config that cannot be read is left out.
     *
     * @param sentence for people
     */
    default void warning(String sentence) {}

    /** Says nothing. */
    static PullProgress silent() {
        return (layer, phase, done, total) -> {};
    }
}
