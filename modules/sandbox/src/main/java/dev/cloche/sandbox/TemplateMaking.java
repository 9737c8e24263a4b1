package dev.cloche.sandbox;

import java.util.List;

/** Says which process makes the templates that starts miss, and fills the pools that they take from. */
public sealed interface TemplateMaking {
    /** No process makes them: there are only those that were asked for. */
    record Never() implements TemplateMaking {}

    /** This process, by a thread of its own, while its sandboxes run: for those that live longer than a start. */
    record InBackground() implements TemplateMaking {}

    /**
     * Another process, which is started when this one is done with its sandboxes, and not waited for: for those that live no
     * longer than a command, which must not be slowed.
     *
     * @param command what makes one, to which {@code --memory SIZE --cpus N [--network user] [--disk SIZE] -- IMAGE}
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
