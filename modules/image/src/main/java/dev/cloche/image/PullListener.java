package dev.cloche.image;

/** Hears of the progress of a pull. Called by several threads, one at a time; it should return soon. */
@FunctionalInterface
public interface PullListener {
    /** Something happened. */
    void on(PullEvent event);

    /** Hears nothing. */
    static PullListener none() {
        return event -> {};
    }
}
