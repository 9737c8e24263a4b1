package dev.cloche.sandbox;

import java.time.Duration;
import java.util.List;

/**
 * Says what came of a fork.
 *
 * @param children all of them, in the order in which they were asked for
 * @param pause how long the parent was halted
 * @param total from the request to the last child that answers
 */
public record Forked<T>(List<T> children, Duration pause, Duration total) {
    public Forked {
        children = List.copyOf(children);
    }
}
