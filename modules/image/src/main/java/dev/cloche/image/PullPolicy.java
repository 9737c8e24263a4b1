package dev.cloche.image;

/** When to ask the registry. */
public enum PullPolicy {
    /** Only if the image is not on this host. */
    MISSING,
    /** Every time: the name may mean another image by now. Layers that are here are not fetched again. */
    ALWAYS,
    /** Not at all. */
    NEVER
}
