package dev.cloche.image.layer;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream on a thread of its own, some buffers ahead: so a layer is decompressed on one core while it is hashed and
 * written on another. Holds at most 2.5 MiB. Errors of the stream come to the reader behind the bytes before them. For one
 * reader.
 */
public final class ReadAhead extends InputStream {
    private static final int BUFFER = 256 * 1024;
    private static final int AHEAD = 8;

    /** Bytes of the stream; the last piece has none, and perhaps what the stream failed with. */
    private static final class Piece {
        private final byte[] bytes;
        private final int length;
        private final @Nullable Throwable failure;

        private Piece(byte[] bytes, int length, @Nullable Throwable failure) {
            this.bytes = bytes;
            this.length = length;
            this.failure = failure;
        }
    }

    private final InputStream source;
    private final ArrayBlockingQueue<Piece> filled = new ArrayBlockingQueue<>(AHEAD);
    private final ArrayBlockingQueue<byte[]> free = new ArrayBlockingQueue<>(AHEAD + 2);
    private final Thread producer;
    private volatile boolean closed;
    private Piece current = new Piece(new byte[0], 1, null);
    private int next = 1;

    /** @param source is read by another thread until this stream is closed, and must not be read by any other */
    public ReadAhead(InputStream source) {
        this.source = source;
        producer = Thread.ofPlatform()
                .daemon()
                .name(Thread.currentThread().getName() + "-decompress")
                .start(this::produce);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (next == current.length && current.length > 0) {
            advance();
        }
        if (current.length == 0) {
            return end(current.failure);
        }
        int count = Math.min(length, current.length - next);
        System.arraycopy(current.bytes, next, target, offset, count);
        next += count;
        return count;
    }

    private static int end(@Nullable Throwable failure) throws IOException {
        return switch (failure) {
            case null -> -1;
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        };
    }

    private void advance() throws IOException {
        if (current.bytes.length == BUFFER) {
            free.add(current.bytes);
        }
        try {
            current = filled.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        next = 0;
    }

    private void produce() {
        try {
            while (!closed) {
                byte[] reused = free.poll();
                byte[] bytes = reused == null ? new byte[BUFFER] : reused;
                int length = 0;
                Throwable failure = null;
                boolean ended = false;
                try {
                    while (length < BUFFER && !ended) {
                        int read = source.read(bytes, length, BUFFER - length);
                        ended = read < 0;
                        length += Math.max(0, read);
                    }
                } catch (Throwable e) {
                    failure = e;
                }
                if (length > 0) {
                    filled.put(new Piece(bytes, length, null));
                }
                if (ended || failure != null) {
                    filled.put(new Piece(bytes, 0, failure));
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The reading thread was interrupted, and waits for this to end.
        }
    }

    /** Returns when the stream is no longer read: it belongs to the caller again, which may read on from where it is. */
    @Override
    public void close() {
        closed = true;
        // Makes room for what is on its way; no more than that is put after it.
        filled.clear();
        boolean interrupted = Thread.interrupted();
        if (interrupted) {
            producer.interrupt();
        }
        while (true) {
            try {
                producer.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                producer.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
