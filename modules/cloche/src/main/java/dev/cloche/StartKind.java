package dev.cloche;

/**
 * How a sandbox's VM came to be.
 *
 * <pre>{@code
 * sandbox.startTimings().ifPresent(timings -> System.out.println(timings.kind()));
 * }</pre>
 */
public enum StartKind {
    /** It was ready, in a warm pool. */
    WARM,
    /** It was restored, from a template or a snapshot. */
    RESTORED,
    /** It was booted. */
    COLD
}
