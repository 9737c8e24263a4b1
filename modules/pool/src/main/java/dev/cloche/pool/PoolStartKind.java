package dev.cloche.pool;

/** Says how an acquired VM came to be. */
public enum PoolStartKind {
    /** The VM was ready. */
    WARM,
    /** The VM was restored from its snapshot while its acquirer waited. */
    RESTORED
}
