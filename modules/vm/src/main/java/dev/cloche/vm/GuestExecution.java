package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A program that runs in a guest. Safe for use from several threads, but each stream is for one thread at a time.
 *
 * <p>Its output is held back in the guest while nobody reads it, so a reader that stops reading stops the program, and
 * delays its end; other executions are not affected.
 */
public interface GuestExecution extends AutoCloseable {
    /** The agent's name of this execution, unsigned. */
    int id();

    /** The process id in the guest, unsigned. */
    int processId();

    /**
     * What the program reads. Writing waits while its pipe is full; closing is the end of file.
     *
     * <p>Writes throw {@link java.io.IOException} after the program's end, after {@code close}, and if the request did
     * not ask for a stdin; they throw {@link GuestConnectionLostException} if the connection broke.
     */
    OutputStream stdin();

    /**
     * What the program wrote. Ends when the program has ended and all was read.
     *
     * <p>Reads throw {@link GuestConnectionLostException} if the connection broke and {@link OutputGapException} where
     * the guest lost bytes, both after what had arrived before was read.
     */
    InputStream stdout();

    /** Like {@link #stdout()}, of the standard error. */
    InputStream stderr();

    /**
     * Sends a signal to the program's process group.
     *
     * @param signal 1 to 64
     * @throws GuestRefusedException if the execution has ended
     */
    void signal(int signal, Deadline deadline);

    /** Waits for the program's end, which comes after its last byte of output was taken over. */
    ExitStatus await(Deadline deadline);

    /** Lets go of the execution: it runs on, and what it still writes is dropped. */
    @Override
    void close();
}
