package dev.cloche.sandbox;

/** Says how a sandbox's VM came to be. */
public enum StartKind {
    /** It was ready, in a warm pool. */
    WARM,
    /** It was restored, from a template or a snapshot. */
    RESTORED,
    /** It was booted. */
    COLD
}
