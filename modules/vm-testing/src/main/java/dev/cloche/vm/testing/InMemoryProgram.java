package dev.cloche.vm.testing;

import dev.cloche.vm.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A program of an in-memory guest while it runs, on a virtual thread; a signal interrupts that. */
final class InMemoryProgram {
    private final BuiltIns.Program builtIn;
    private final Caller caller;
    private final Streams streams;
    private final Consumer<ExitStatus> onEnd;
    private final AtomicInteger signal = new AtomicInteger();
    private final Thread thread;

    /** Completes a call with the streams of an execution. */
    interface Caller {
        BuiltIns.Call call(
                InputStream stdin, OutputStream stdout, OutputStream stderr, Optional<InMemoryTerminal> terminal);
    }

    /** Says what it reads and writes; with a terminal, through that. */
    record Streams(InputStream stdin, OutputStream stdout, OutputStream stderr, Optional<InMemoryTerminal> terminal) {}

    InMemoryProgram(int id, BuiltIns.Program builtIn, Caller caller, Streams streams, Consumer<ExitStatus> onEnd) {
        this.builtIn = builtIn;
        this.caller = caller;
        this.streams = streams;
        this.onEnd = onEnd;
        thread = Thread.ofVirtual().name("cloche-in-memory-" + id).unstarted(() -> this.onEnd.accept(run()));
    }

    void start() {
        thread.start();
    }

    /** Ends it; the first one counts. */
    void signal(int number) {
        signal.compareAndSet(0, number);
        thread.interrupt();
    }

    private ExitStatus run() {
        Optional<InMemoryTerminal> terminal = streams.terminal();
        OutputStream out =
                terminal.map(present -> present.output(streams.stdout())).orElse(streams.stdout());
        OutputStream err = terminal.isPresent() ? out : streams.stderr();
        InputStream in =
                terminal.map(present -> present.input(streams.stdin(), out)).orElse(streams.stdin());
        try {
            return new ExitStatus.Exited(builtIn.run(caller.call(in, out, err, terminal)));
        } catch (InterruptedException | InterruptedIOException e) {
            return new ExitStatus.Signalled(Math.max(1, signal.get()));
        } catch (IOException e) {
            return new ExitStatus.Exited(1);
        }
    }
}
