package dev.cloche.image.layer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Sees every byte that is read through it by any method, once and in order. For one thread. */
public abstract class ObservedStream extends FilterInputStream {
    public ObservedStream(InputStream in) {
        super(in);
    }

    /** Sees what was read just now. */
    protected abstract void seen(byte[] bytes, int offset, int length) throws IOException;

    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public final int read(byte[] target, int offset, int length) throws IOException {
        int read = in.read(target, offset, length);
        if (read > 0) {
            seen(target, offset, read);
        }
        return read;
    }

    /** Reads what is skipped all the same. */
    @Override
    public final long skip(long bytes) throws IOException {
        byte[] passed = new byte[(int) Math.min(bytes, 1 << 16)];
        return Math.max(0, read(passed, 0, passed.length));
    }

    /** Returns false, or bytes would be seen twice. */
    @Override
    public final boolean markSupported() {
        return false;
    }
}
