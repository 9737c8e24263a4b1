package dev.cloche;

import java.util.List;

/**
 * Who makes the templates that first starts of an image and a size miss. A template that cannot be made fails nobody's
 * start.
 *
 * <pre>{@code
 * ClocheOptions options = ClocheOptions.ofEnvironment().withTemplateMaking(new TemplateMaking.Never());
 * }</pre>
 */
public sealed interface TemplateMaking {
    /** Nobody: there are those that were asked for. */
    record Never() implements TemplateMaking {}

    /** This process, by a thread of its own, while its sandboxes run. */
    record InBackground() implements TemplateMaking {}

    /**
     * Another process of the least priority, which is started when this one closes its {@link Cloche}, and not waited for.
     *
     * @param command what makes one, to which {@code --memory SIZE --cpus N -- IMAGE} is added
     */
    record ByProcess(List<String> command) implements TemplateMaking {
        public ByProcess {
            command = List.copyOf(command);
        }
    }
}
