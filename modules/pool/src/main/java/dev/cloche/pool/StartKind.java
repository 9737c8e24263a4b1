package dev.cloche.pool;

/** How an acquired VM came to be. */
public enum StartKind {
    /** It was ready. */
    WARM,
    /** It was restored from its snapshot while its acquirer waited. */
    RESTORED
}
