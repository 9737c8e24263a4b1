package dev.cloche.cli.terminal;

import dev.cloche.Execution;
import dev.cloche.linux.Terminal;
import dev.cloche.vm.ExitStatus;
import java.util.Optional;

/** This process stands for a command in a guest: its streams and signals are the command's. */
public final class Attached {
    private Attached() {}

    /**
     * Passes everything on until the command has ended and all that it wrote was written here; empty if it was detached from.
     *
     * @param terminal stands for the command's, if it has one
     * @param keys that detach, where there is a terminal
     */
    public static Optional<ExitStatus> pass(
            Execution execution,
            Optional<Terminal> terminal,
            boolean withStdin,
            DetachKeys keys,
            SignalForwarding signals)
            throws InterruptedException {
        signals.forwardTo(execution);
        if (terminal.isPresent()) {
            return TerminalSession.pass(execution, terminal.get(), withStdin, keys);
        }
        Streams streams = Streams.join(execution, withStdin);
        ExitStatus exit = execution.await();
        streams.drain();
        return Optional.of(exit);
    }
}
