package dev.cloche.interpreter;

import dev.cloche.interpreter.driver.CellRun;
import dev.cloche.interpreter.driver.Context;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Code that is about to be run in a context. Not safe for use from several threads; may be run several times.
 *
 * <pre>{@code
 * CellResult result = python.cell("train()").timeout(Duration.ofMinutes(1)).run();
 * }</pre>
 */
public final class Cell {
    private final Supplier<Context> context;
    private final byte[] code;
    private Optional<Duration> timeout = Optional.empty();
    private CellListener listener = CellListener.NONE;

    Cell(Supplier<Context> context, byte[] code) {
        this.context = context;
        this.code = code;
    }

    /**
     * Sets the longest that it may take. It is then interrupted, and ten seconds later its context is killed. Without it, for
     * ever.
     *
     * @throws InterpreterException.Invalid if it is not positive
     */
    public Cell timeout(Duration longest) {
        if (longest.isNegative() || longest.isZero()) {
            throw new InterpreterException.Invalid("A timeout is longer than nothing.", "Give a longer one.");
        }
        timeout = Optional.of(longest);
        return this;
    }

    /** Sets what is told of output and values as they come. */
    public Cell listener(CellListener told) {
        listener = told;
        return this;
    }

    /**
     * Runs it to its end. What goes wrong in the code is in the result, and so is an end of its context.
     *
     * @throws InterpreterException.Busy if a cell of this context runs
     * @throws InterpreterException.ContextEnded if the context has ended before
     * @throws InterpreterException.BrokenAnswer if the guest gives no answer of a driver; the context is ended
     * @throws dev.cloche.base.ClocheException with the code {@code vm.interrupted} if this thread is interrupted, which ends the
     *     context; with a code {@code sandbox.ended.…} if the sandbox ends
     */
    public CellResult run() {
        return new CellRun(context.get(), timeout, listener).run(code);
    }
}
