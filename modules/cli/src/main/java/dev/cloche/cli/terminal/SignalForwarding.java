package dev.cloche.cli.terminal;

import dev.cloche.Execution;
import dev.cloche.base.ClocheException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Passes the signals of this process on to the command in the guest. Before there is a command, a signal interrupts the
 * thread that starts it; the third signal ends the wait for a command that ignores them.
 *
 * <p>{@code sun.misc.Signal} is the one way to take over the JVM's own handlers of SIGINT and SIGTERM; signalfd is not,
 * because the JVM's threads exist before Cloche could block the signals in them.
 */
@SuppressWarnings("ReferenceEquality") // SIG_IGN is one object, made for comparing
public final class SignalForwarding implements AutoCloseable {
    private static final List<String> FORWARDED = List.of("INT", "TERM", "HUP");
    private static final int PATIENCE = 3;

    private final Thread caller = Thread.currentThread();
    private final AtomicReference<@Nullable Execution> target = new AtomicReference<>();
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger lastSignal = new AtomicInteger();
    private volatile boolean interrupted;
    private final Map<Signal, SignalHandler> previous = new LinkedHashMap<>();

    public SignalForwarding() {
        for (String name : FORWARDED) {
            Signal signal = new Signal(name);
            SignalHandler before = Signal.handle(signal, this::arrived);
            if (before == SignalHandler.SIG_IGN) {
                // nohup(1) asked for a hang-up to be ignored.
                Signal.handle(signal, before);
            } else {
                previous.put(signal, before);
            }
        }
    }

    /** From now on signals go to {@code execution}. */
    void forwardTo(Execution execution) {
        target.set(execution);
        if (received.get() > 0) {
            deliver(execution, lastSignal.get());
        }
    }

    /**
     * Returns the exit code of {@code body}; that of the last signal, as a shell shows it, if {@code body} fails because a signal
     * interrupted it.
     */
    public int exitCode(Callable<Integer> body) throws Exception {
        try {
            return body.call();
        } catch (ClocheException | InterruptedException e) {
            if (!interrupted) {
                throw e;
            }
            if (e instanceof ClocheException known) {
                ErrorReport.print(known, System.err);
            }
            return ExitCodes.SIGNALLED + lastSignal.get();
        }
    }

    private void arrived(Signal signal) {
        lastSignal.set(signal.getNumber());
        Execution execution = target.get();
        if (received.incrementAndGet() >= PATIENCE || execution == null) {
            interrupt();
        } else {
            Thread.ofVirtual().start(() -> deliver(execution, signal.getNumber()));
        }
    }

    private void deliver(Execution execution, int signal) {
        try {
            execution.signal(signal);
        } catch (ClocheException e) {
            // The command or its VM has just ended, which the waiting thread is about to see; otherwise give up
            // waiting.
            if (!execution.ended()) {
                interrupt();
            }
        }
    }

    private void interrupt() {
        interrupted = true;
        caller.interrupt();
    }

    @Override
    public void close() {
        List<Signal> signals = new ArrayList<>(previous.keySet());
        signals.forEach(signal -> Signal.handle(signal, previous.get(signal)));
    }
}
