package dev.cloche.vm;

/** Is told how far a copy is, by the copying thread, often; so it must be quick. */
public interface CopyListener {
    /**
     * Hears that some more was copied.
     *
     * @param entries begun so far
     * @param bytes of content so far
     */
    void progress(long entries, long bytes);

    /** Takes no notice. */
    static CopyListener silent() {
        return (entries, bytes) -> {};
    }
}
