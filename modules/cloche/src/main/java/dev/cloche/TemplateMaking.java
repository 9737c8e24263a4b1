package dev.cloche;

import java.util.List;

/**
 * Who makes the templates that first starts of an image and a size miss, and fills the pools that starts take from. What
 * cannot be made fails nobody's start.
 *
 * <pre>{@code
 * ClocheOptions options = ClocheOptions.ofEnvironment().withTemplateMaking(new TemplateMaking.Never());
 * }</pre>
 */
public sealed interface TemplateMaking {
    /** Nobody: there is what was asked for. */
    record Never() implements TemplateMaking {}

    /** This process, by threads of its own, while its sandboxes run; pools from the first start that could take from one on. */
    record InBackground() implements TemplateMaking {}

    /**
     * Other processes, which are not waited for. Who makes a template has the least priority, and is started when this one closes
     * its {@link Cloche}; who fills pools is started then or a second after a start, whatever comes first.
     *
     * @param command what makes a template, to which {@code --memory SIZE --cpus N [--network user] [--disk SIZE] -- IMAGE}
     *     is added
     * @param filler what fills the pools
     */
    record ByProcess(List<String> command, List<String> filler) implements TemplateMaking {
        public ByProcess {
            command = List.copyOf(command);
            filler = List.copyOf(filler);
        }
    }
}
