package dev.cloche.sandbox;

import java.util.Optional;
import java.util.function.Function;

/** Says what became of one child of a fork whose children are started one by one. */
public sealed interface ForkOutcome<T> {
    /**
     * Says that the child is up.
     *
     * @param sandbox the child
     */
    record Started<T>(T sandbox) implements ForkOutcome<T> {}

    /**
     * Says that the child did not come up, and that nothing is left of it.
     *
     * @param code why, as {@link dev.cloche.base.ClocheException#code()} has it
     * @param sentence why
     * @param remedy what to do next; empty if that is not known
     */
    record Failed<T>(String code, String sentence, String remedy) implements ForkOutcome<T> {}

    /** Returns the same with what is made of a child that is up. */
    default <R> ForkOutcome<R> with(Function<? super T, ? extends R> made) {
        return switch (this) {
            case Started<T>(T sandbox) -> new Started<>(made.apply(sandbox));
            case Failed<T>(String code, String sentence, String remedy) -> new Failed<>(code, sentence, remedy);
        };
    }

    /** Returns the child, if it is up. */
    default Optional<T> started() {
        return this instanceof Started<T>(T sandbox) ? Optional.of(sandbox) : Optional.empty();
    }

    /** Returns why there is no child, if there is none. */
    default Optional<Failed<T>> failed() {
        return this instanceof Failed<T> failed ? Optional.of(failed) : Optional.empty();
    }
}
