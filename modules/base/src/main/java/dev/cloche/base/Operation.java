package dev.cloche.base;

import java.time.Duration;
import java.util.Optional;

/**
 * Describes an operation that has ended, well or not: the start of a sandbox, a command in it, the pull of an image. It has
 * names, numbers and reasons; nothing of what a sandbox was given or says.
 */
public interface Operation {
    /** Returns how long it took, by the monotonic clock. */
    Duration took();

    /** Returns the code of the error that ended it, or the name of that error's class; empty if it succeeded. */
    Optional<String> failure();
}
