package dev.cloche;

/**
 * When a registry is asked for an image.
 *
 * <pre>{@code
 * cloche.sandbox("debian").pull(PullPolicy.NEVER).start(); // fails unless the image is here
 * }</pre>
 */
public enum PullPolicy {
    /** Only if the reference is not on this host. The default. */
    MISSING,
    /** Always, so that a moved tag is noticed; what has not changed is not fetched again. */
    ALWAYS,
    /** Never; an image that is not on this host is an error. */
    NEVER;

    /** In the words of the room. */
    dev.cloche.image.PullPolicy room() {
        return switch (this) {
            case MISSING -> dev.cloche.image.PullPolicy.MISSING;
            case ALWAYS -> dev.cloche.image.PullPolicy.ALWAYS;
            case NEVER -> dev.cloche.image.PullPolicy.NEVER;
        };
    }
}
