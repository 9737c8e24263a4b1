package dev.cloche;

import java.time.Duration;
import java.util.List;

/**
 * The children of a sandbox, which belong to this process.
 *
 * <pre>{@code
 * try (Fork fork = parent.fork(4)) {
 *     fork.children().forEach(child -> child.exec("work"));
 * }
 * }</pre>
 *
 * @param children all that were asked for
 * @param pause how long the parent was halted
 * @param total from the request to the last child that answers
 */
public record Fork(List<Sandbox> children, Duration pause, Duration total) implements AutoCloseable {
    public Fork {
        children = List.copyOf(children);
    }

    /** Ends all children, as {@link Sandbox#close()} does; all are tried. */
    @Override
    public void close() {
        RuntimeException first = null;
        for (Sandbox child : children) {
            try {
                child.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
