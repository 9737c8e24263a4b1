package dev.cloche.process;

import java.util.Optional;

/**
 * That an event ends its process.
 *
 * @param state how; not running and not abandoned
 * @param awaitOutput picks the {@linkplain AwaitOutput#json JSON form} of the output, whose kind must be that of the
 *     state. Where it is missing the whole payload is the value of a success; so only completed can do without
 */
public record TerminalRule(ProcessStatus state, Optional<Selector> awaitOutput) {
    public TerminalRule {
        if (!state.terminal() || state == ProcessStatus.ABANDONED) {
            throw new ProcessException.Invalid("no event can make a process " + state.word());
        }
        if (state != ProcessStatus.COMPLETED && awaitOutput.isEmpty()) {
            throw new ProcessException.Invalid("a " + state.word() + " event type needs a selector of its output");
        }
    }
}
