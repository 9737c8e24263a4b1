package dev.cloche.sandbox.directory;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/** Streams of files whose sandbox is in use until they are closed. */
public final class UsedStreams {
    private UsedStreams() {}

    /**
     * Wraps a stream whose end ends a use.
     *
     * @param use that has begun
     */
    public static InputStream reading(InputStream file, SandboxUse use) {
        AtomicBoolean over = new AtomicBoolean();
        return new FilterInputStream(file) {
            @Override
            public void close() throws IOException {
                try {
                    super.close();
                } finally {
                    endOnce(over, use);
                }
            }
        };
    }

    /**
     * Wraps a stream whose end ends a use.
     *
     * @param use that has begun
     */
    public static OutputStream writing(OutputStream file, SandboxUse use) {
        AtomicBoolean over = new AtomicBoolean();
        return new FilterOutputStream(file) {
            // In one piece, which the class above does not do.
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                try {
                    out.close();
                } finally {
                    endOnce(over, use);
                }
            }
        };
    }

    private static void endOnce(AtomicBoolean over, SandboxUse use) {
        if (over.compareAndSet(false, true)) {
            use.end();
        }
    }
}
