package dev.cloche.cli;

import dev.cloche.Execution;
import dev.cloche.Exit;

/** This process stands for a command in a guest: its streams and signals are the command's. */
final class Attached {
    private Attached() {}

    /** Passes everything on until the command has ended and all that it wrote was written here. */
    static Exit pass(Execution execution, boolean withStdin, SignalForwarding signals) throws InterruptedException {
        signals.forwardTo(execution);
        Streams streams = Streams.join(execution, withStdin);
        Exit exit = execution.await();
        streams.drain();
        return exit;
    }
}
