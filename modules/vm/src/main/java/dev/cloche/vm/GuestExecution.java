package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A program that runs in a guest, as far as one connection is attached to it. Safe for use from several threads, but each
 * stream is for one thread at a time.
 *
 * <p>Its output is held back in the guest while no reader takes it, so a reader that stops reading stops the program, and
 * delays its end; other executions are not affected.
 *
 * <p>An execution outlives the connection: a caller that knows its {@link #id} and the {@link #offset offsets} up to which
 * it was read can go on by {@link Guest#attach}, also in another process. What a reader that died has read is lost, unless
 * it was written down before; of an execution whose output is {@link ExecRequest#acknowledged acknowledged} nothing else is.
 */
public interface GuestExecution extends AutoCloseable {
    /** Returns the agent's name of this execution, unsigned. */
    int id();

    /** Returns the process id in the guest, unsigned. */
    int processId();

    /**
     * Returns what the program reads. Writing waits while its pipe is full; closing is the end of file.
     *
     * <p>Writes throw {@link java.io.IOException} after the program's end, after {@code close}, and if the request did
     * not ask for a stdin; they throw {@link GuestException.ConnectionLost} if the connection broke.
     */
    OutputStream stdin();

    /**
     * Returns the offset in the program's input of the first byte that is written to {@link #stdin}: 0, or after an
     * {@link Guest#attach} how much the guest had taken before. What was written beyond that has never arrived.
     */
    long stdinOffset();

    /**
     * Returns what the program wrote. Ends when the program has ended and all was read.
     *
     * <p>After what had arrived was read, reads throw {@link GuestException.ConnectionLost} if the connection broke, and
     * {@link GuestException.ExecutionTaken} if another one has attached. The first read after an {@link Guest#attach} throws
     * {@link GuestException.OutputGap} if the guest no longer has what was asked for; the next one goes on behind.
     */
    InputStream stdout();

    /** Returns what {@link #stdout()} does, of the standard error. */
    InputStream stderr();

    /** Returns the offset of the next byte that a read of this output returns: so much was read of it, with all gaps. */
    long offset(Output output);

    /**
     * Says that all of an output before {@code offset} is safe, so that the guest may forget it. Of an execution whose
     * output is not {@link ExecRequest#acknowledged acknowledged} it has no effect. Waits only while the guest does not
     * read at all.
     *
     * @throws VmException.Invalid if so much was not read
     */
    void acknowledge(Output output, long offset);

    /**
     * Sends a signal to the program's process group.
     *
     * @param signal 1 to 64
     * @throws GuestException.Refused if the execution has ended
     */
    void signal(int signal, Deadline deadline);

    /**
     * Changes the size of its terminal.
     *
     * @throws GuestException.Refused if it has none, or has ended
     */
    void resize(TerminalSize size, Deadline deadline);

    /**
     * Waits for the program's end, which comes after its last byte of output was taken over.
     *
     * @throws GuestException.ExecutionTaken if another connection has attached
     * @throws GuestException.ExecutionClosed if this handle was closed before
     */
    ExitStatus await(Deadline deadline);

    /**
     * Lets go of the execution: it runs on, and the guest keeps the last of its output and its end for who attaches to it,
     * in the bounds of its window.
     */
    @Override
    void close();
}
