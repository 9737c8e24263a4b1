package dev.cloche;

import java.time.Duration;
import java.util.List;

/**
 * The children of a sandbox, which outlive this process.
 *
 * <pre>{@code
 * cloche.fork("web").startDetached(2).children().forEach(child -> System.out.println(child.name()));
 * }</pre>
 *
 * @param children all that were asked for
 * @param pause how long the parent was halted
 * @param total from the request to the last child that answers
 */
public record DetachedFork(List<SandboxInfo> children, Duration pause, Duration total) {
    public DetachedFork {
        children = List.copyOf(children);
    }
}
