package dev.cloche.interpreter;

import dev.cloche.interpreter.driver.Contexts;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs code of a language in a sandbox, cell by cell, with variables that stay. Has a context of its own, and makes more. Safe
 * for use from several threads; cells of several contexts run side by side.
 *
 * <pre>{@code
 * try (Interpreter python = sandbox.interpreter(Language.PYTHON)) {
 *     python.run("x = 6");
 *     python.run("x * 7").text(); // 42
 * }
 * }</pre>
 *
 * <p>What the code does stays in the sandbox, and so does what it says: results are the guest's word. The sandbox is in use, so
 * not idle, until this is closed.
 */
public final class Interpreter implements AutoCloseable {
    private final Language language;
    private final Contexts contexts;
    private final Runnable whenClosed;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable InterpreterContext own;

    Interpreter(Language language, Contexts contexts, Runnable whenClosed) {
        this.language = language;
        this.contexts = contexts;
        this.whenClosed = whenClosed;
    }

    /** Returns the language of its code. */
    public Language language() {
        return language;
    }

    /** Returns the version of the language's program, in the words of the guest; empty if that does not say. */
    public String version() {
        return contexts.version();
    }

    /**
     * Begins a further context, for as long as it is not closed. An interpreter has at most 32.
     *
     * @throws InterpreterException.TooManyContexts if it has as many
     */
    public InterpreterContext context() {
        return new InterpreterContext(contexts.context());
    }

    /**
     * Runs code in the interpreter's own context. Short for {@code cell(code).run()}.
     *
     * @throws dev.cloche.base.ClocheException as {@link Cell#run()} does
     */
    public CellResult run(String code) {
        return cell(code).run();
    }

    /**
     * Returns code to run in the interpreter's own context. If that has ended, which the result of the cell that ended it says,
     * another one is begun: without the variables.
     *
     * @throws InterpreterException.Invalid if it is longer than 16 MiB
     */
    public Cell cell(String code) {
        return new Cell(() -> own().context(), InterpreterContext.bytes(code));
    }

    /** Returns what {@link InterpreterContext#isComplete} does, of the interpreter's own context. */
    public boolean isComplete(String code) {
        return own().isComplete(code);
    }

    /** Interrupts the cell that runs in the interpreter's own context. Without one, nothing happens. Does not wait. */
    public void interrupt() {
        lock.lock();
        try {
            if (own != null) {
                own.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    private InterpreterContext own() {
        lock.lock();
        try {
            InterpreterContext present = own;
            if (present == null || present.ended()) {
                present = context();
                own = present;
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all contexts and the program; with it the sandbox, if that was started for it. Closing twice does nothing. */
    @Override
    public void close() {
        try {
            contexts.close();
        } finally {
            whenClosed.run();
        }
    }
}
