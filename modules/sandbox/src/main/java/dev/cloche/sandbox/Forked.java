package dev.cloche.sandbox;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

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

    /** Returns the same of what is made of each child. */
    public <R> Forked<R> with(Function<? super T, ? extends R> made) {
        return new Forked<>(children.stream().<R>map(made).toList(), pause, total);
    }
}
