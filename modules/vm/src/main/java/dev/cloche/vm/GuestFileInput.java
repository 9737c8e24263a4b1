package dev.cloche.vm;

import java.io.IOException;
import java.io.InputStream;

/**
 * The content of a guest's file, or a part of it. For one thread at a time.
 *
 * <p>Reads throw what {@link GuestFiles} says; the only {@link IOException} is that of a stream that is closed.
 */
public abstract class GuestFileInput extends InputStream {
    /** Begins at the start of what is read. */
    protected GuestFileInput() {}

    /** Ends the reading, in the guest too. */
    @Override
    public abstract void close();
}
