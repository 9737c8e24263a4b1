package dev.cloche.interpreter.driver;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.VmException;
import java.util.Optional;

/**
 * Runs cells in a process of a guest, one at a time, with variables that stay. What comes of them is the guest's word. Safe for use
 * from several threads.
 */
public sealed interface Context extends AutoCloseable permits Connection, ShellContext {
    /**
     * Begins a cell, whose answers {@link #take} returns until {@link #finish}. Does not wait.
     *
     * @throws InterpreterException.Busy if one has not been finished
     * @throws InterpreterException if the context has ended
     */
    void run(byte[] code);

    /**
     * Waits for the next answer; empty if the deadline passes.
     *
     * @throws RuntimeException why nothing more comes
     */
    Optional<Answer> take(Deadline deadline) throws InterruptedException;

    /** Ends what was begun: something else may be. */
    void finish();

    /** Interrupts the cell that runs, if one does. Does not wait. */
    void interrupt();

    /** Interrupts the cell once more, where one interrupt may miss what runs. Does not wait. */
    default void insist() {}

    /** Kills the process. Does not wait. */
    void kill();

    /**
     * Returns whether code is whole; see {@link dev.cloche.interpreter.InterpreterContext#isComplete}.
     *
     * @throws VmException.Deadline if the deadline passes
     */
    boolean isComplete(byte[] code, Deadline deadline);

    /** Returns whether nothing more can be run in it. */
    boolean isOver();

    /** Ends the process and what it has started. Does not wait. Closing twice does nothing. */
    @Override
    void close();

    /** Passes an interrupt of this thread on. */
    static VmException.Interrupted interrupted() {
        Thread.currentThread().interrupt();
        return new VmException.Interrupted("the wait for an interpreter");
    }
}
