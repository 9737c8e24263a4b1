package dev.cloche.cli.terminal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Has SIGINT interrupt code that an interpreter runs, in place of this program. A second one while the same code runs, and every
 * SIGTERM or SIGHUP, interrupts the thread that made this.
 */
@SuppressWarnings("ReferenceEquality") // SIG_IGN is one object, made for comparing
public final class CellSignals implements AutoCloseable {
    private static final String INTERRUPT = "INT";

    private final Thread caller = Thread.currentThread();
    private final Map<Signal, SignalHandler> previous = new LinkedHashMap<>();
    private final AtomicBoolean pressed = new AtomicBoolean();
    private final Runnable interrupt;
    private volatile int ended;

    /** @param interrupt what the first SIGINT does; does not wait */
    public CellSignals(Runnable interrupt) {
        this.interrupt = interrupt;
        for (String name : new String[] {INTERRUPT, "TERM", "HUP"}) {
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

    private void arrived(Signal signal) {
        if (signal.getName().equals(INTERRUPT) && pressed.compareAndSet(false, true)) {
            interrupt.run();
        } else {
            ended = signal.getNumber();
            caller.interrupt();
        }
    }

    /** Says that other code runs from now on. */
    public void next() {
        pressed.set(false);
    }

    /** Returns the exit code of a program that such a signal has ended; 0 if none has. */
    public int exitCode() {
        return ended == 0 ? ExitCodes.OK : ExitCodes.SIGNALLED + ended;
    }

    @Override
    public void close() {
        previous.forEach(Signal::handle);
    }
}
