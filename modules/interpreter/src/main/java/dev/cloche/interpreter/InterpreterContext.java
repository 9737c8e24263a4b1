package dev.cloche.interpreter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.driver.Context;
import dev.cloche.interpreter.protocol.FrameStream;
import java.time.Duration;

/**
 * A process of an interpreter with variables, a working directory and an environment of its own, which stay from cell to cell.
 * Runs one cell at a time. Safe for use from several threads.
 *
 * <pre>{@code
 * try (InterpreterContext other = python.context()) {
 *     other.run("x = 1");
 *     other.run("x + 1").text(); // 2
 * }
 * }</pre>
 */
public final class InterpreterContext implements AutoCloseable {
    private static final Duration CHECK_LIMIT = Duration.ofSeconds(10);

    private final Context context;

    InterpreterContext(Context context) {
        this.context = context;
    }

    /**
     * Runs code to its end. Short for {@code cell(code).run()}.
     *
     * @throws dev.cloche.base.ClocheException as {@link Cell#run()} does
     */
    public CellResult run(String code) {
        return cell(code).run();
    }

    /**
     * Returns code to run.
     *
     * @throws InterpreterException.Invalid if it is longer than 16 MiB
     */
    public Cell cell(String code) {
        return new Cell(() -> context, bytes(code));
    }

    static byte[] bytes(String code) {
        byte[] bytes = code.getBytes(UTF_8);
        if (bytes.length > FrameStream.LONGEST_PAYLOAD) {
            throw new InterpreterException.Invalid(
                    "The code of a cell has at most 16 MiB.", "Write what it needs to a file of the sandbox.");
        }
        return bytes;
    }

    /**
     * Returns whether code is whole, as the prompt of its language has it: of what is not, more lines are to come. Code with
     * mistakes is whole.
     *
     * @throws dev.cloche.base.ClocheException as {@link Cell#run()} does
     */
    public boolean isComplete(String code) {
        return context.isComplete(bytes(code), Deadline.after(CHECK_LIMIT));
    }

    /** Interrupts the cell that runs, as Ctrl-C does. Without one, nothing happens. Does not wait. */
    public void interrupt() {
        context.interrupt();
    }

    /** Returns whether it has ended, so that its variables are lost and no cell can be run in it. */
    public boolean ended() {
        return context.isOver();
    }

    Context context() {
        return context;
    }

    /** Ends it and all that it has started. Closing twice does nothing. */
    @Override
    public void close() {
        context.close();
    }
}
