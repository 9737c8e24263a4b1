package dev.cloche.image;

import java.nio.file.Path;

/**
 * A difference between what is recorded and what is in the cache. None of them does harm: what is missing or damaged is
 * pulled again when it is needed, and what has no record goes with the next prune.
 *
 * @param kind what is wrong
 * @param file where
 * @param what in one sentence
 */
public record CacheProblem(Kind kind, Path file, String what) {
    /** Says what can be wrong. */
    public enum Kind {
        /** A recorded file is not there. */
        MISSING,
        /** A recorded file is not what was written. */
        DAMAGED,
        /** A file has no record; it may be in the making. */
        ORPHAN
    }
}
