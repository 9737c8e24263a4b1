package dev.cloche.vm;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A file of a guest that is being written. For one thread at a time.
 *
 * <p>{@link #close} returns when all is in the guest, or throws what {@link GuestFiles} says; {@link #abort} gives it up,
 * as does a failed write. The only {@link IOException} is that of a stream that is closed. Small writes are collected.
 */
public abstract class GuestFileOutput extends OutputStream {
    /** Begins where the options of the writing say. */
    protected GuestFileOutput() {}

    /** Sends what was collected. */
    @Override
    public abstract void flush() throws IOException;

    /** Gives the file up: what was written so far is not kept where the guest can help it. Closing is no error then. */
    public abstract void abort();

    /** Completes the file, once. */
    @Override
    public abstract void close();
}
