package dev.cloche.base;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one stream among several readers. The latest bytes are kept in a ring, from the first {@link #reader} on; before, {@link
 * #first} reads the stream itself and nothing is kept. The fastest reader sets the pace: more is read only while a reader waits that
 * has read everything. One that is slower than the ring is long misses bytes, and is told. Safe for use from several threads; each
 * reader is for one thread at a time, but may be closed by another.
 */
public final class SharedInput {
    /** Makes the exception for bytes that a reader has missed. */
    public interface Gap {
        RuntimeException of(long offset, long missing);
    }

    private static final int PIECE = 16 << 10;

    private final InputStream source;
    private final LongSupplier sourceOffset;
    private final Gap gap;
    private final Reader first = new Reader(0, false);

    /** Held by the thread that reads the source, perhaps for long. Taken before {@link #lock}. */
    private final ReentrantLock reading = new ReentrantLock();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Reader> open = new HashSet<>();
    /** Empty until the stream is shared. The byte at {@code offset} is at {@code offset % ring.length}. */
    private byte[] ring = new byte[0];
    /** Offset of the oldest byte in the ring. */
    private long begin;
    /** Offset of the next byte from the source. */
    private long end;

    private boolean pumping;
    private boolean ended;
    private @Nullable Exception failure;

    /**
     * @param source what is shared; nothing else reads it. A read of it that throws an unchecked exception and moves the offset has
     *     passed bytes that are lost
     * @param sourceOffset of the next byte that a read of the source returns
     */
    public SharedInput(InputStream source, LongSupplier sourceOffset, Gap gap) {
        this.source = source;
        this.sourceOffset = sourceOffset;
        this.gap = gap;
        first.position = sourceOffset.getAsLong();
    }

    /**
     * Returns the reader that is there without being asked for. While it is the only one, it is the stream itself; closing it then
     * closes the stream.
     */
    public Reader first() {
        return first;
    }

    /**
     * Adds a reader, and keeps bytes from now on.
     *
     * @param offset of the first byte that it reads: of an older one than is kept it is told as of any that it misses
     * @param ends whether it ends where it would miss bytes; else it is told, and goes on behind them
     * @param size of the ring in bytes; of the first reader's this is that of all
     * @throws IllegalArgumentException if the offset is negative, or lies beyond what has come from the source
     */
    public Reader reader(long offset, boolean ends, int size) {
        lock.lock();
        try {
            long known = shared() ? end : first.position;
            if (offset < 0 || offset > known) {
                throw new IllegalArgumentException("offset " + offset + " is not from 0 to " + known);
            }
            if (!shared()) {
                ring = new byte[size];
                begin = known;
                end = known;
                if (!first.closed) {
                    open.add(first);
                }
            }
            Reader reader = new Reader(offset, ends);
            open.add(reader);
            return reader;
        } finally {
            lock.unlock();
        }
    }

    /** Reads pieces of the source for as long as a reader waits for one. */
    private void pump() {
        byte[] piece = new byte[Math.min(PIECE, ring.length)];
        do {
            reading.lock();
            try {
                take(piece);
            } finally {
                reading.unlock();
            }
        } while (goesOn());
    }

    private boolean goesOn() {
        lock.lock();
        try {
            pumping = !ended && open.stream().anyMatch(Reader::wantsMore);
            return pumping;
        } finally {
            lock.unlock();
        }
    }

    private void take(byte[] piece) {
        try {
            int count = source.read(piece, 0, piece.length);
            if (count < 0) {
                over(null);
            } else {
                keep(piece, 0, count);
            }
        } catch (IOException broken) {
            over(broken);
        } catch (RuntimeException refused) {
            if (!passed()) {
                over(refused);
            }
        }
    }

    private void over(@Nullable Exception why) {
        lock.lock();
        try {
            ended = true;
            failure = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what is kept if the source has gone on behind a gap of its own, and returns whether it has. */
    private boolean passed() {
        lock.lock();
        try {
            long now = sourceOffset.getAsLong();
            boolean gone = now > end;
            if (gone) {
                begin = now;
                end = now;
                changed.signalAll();
            }
            return gone;
        } finally {
            lock.unlock();
        }
    }

    private void keep(byte[] bytes, int offset, int count) {
        lock.lock();
        try {
            for (int copied = 0; copied < count; ) {
                int at = (int) (end % ring.length);
                int part = Math.min(count - copied, ring.length - at);
                System.arraycopy(bytes, offset + copied, ring, at, part);
                copied += part;
                end += part;
            }
            begin = Math.max(begin, end - ring.length);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean shared() {
        return ring.length > 0;
    }

    /** One reader of the stream. A read waits for bytes; an interrupt ends the wait with {@link InterruptedIOException}. */
    public final class Reader extends InputStream {
        private final boolean ends;
        private long position;
        private long missed;
        private boolean waits;
        private boolean closed;

        private Reader(long position, boolean ends) {
            this.position = position;
            this.ends = ends;
        }

        /** Returns the offset of the next byte that a read returns. */
        public long offset() {
            lock.lock();
            try {
                return position;
            } finally {
                lock.unlock();
            }
        }

        /** Returns how many bytes it has missed; of one that ends there, how many it would have. */
        public long missed() {
            lock.lock();
            try {
                return missed;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, target.length);
            if (length == 0) {
                return 0;
            }
            // Where another thread reads the source, it is shared.
            if (this == first && reading.tryLock()) {
                try {
                    if (!isShared()) {
                        return readSource(target, offset, length);
                    }
                } finally {
                    reading.unlock();
                }
            }
            return readRing(target, offset, length);
        }

        private boolean isShared() {
            lock.lock();
            try {
                return shared();
            } finally {
                lock.unlock();
            }
        }

        /** The stream may be shared meanwhile: others then get these bytes too. */
        private int readSource(byte[] target, int offset, int length) throws IOException {
            int count = -1;
            try {
                count = source.read(target, offset, length);
                return count;
            } finally {
                lock.lock();
                try {
                    if (shared() && count > 0) {
                        keep(target, offset, count);
                    } else if (shared()) {
                        var _ = passed();
                    }
                    position = sourceOffset.getAsLong();
                } finally {
                    lock.unlock();
                }
            }
        }

        private int readRing(byte[] target, int offset, int length) throws IOException {
            lock.lock();
            try {
                awaitMore();
                if (closed) {
                    throw new IOException("the reader is closed");
                }
                if (position < begin) {
                    return missing();
                }
                if (position == end) {
                    return theEnd();
                }
                int at = (int) (position % ring.length);
                int count = (int) Math.min(Math.min(length, end - position), ring.length - at);
                System.arraycopy(ring, at, target, offset, count);
                position += count;
                return count;
            } finally {
                lock.unlock();
            }
        }

        private void awaitMore() throws InterruptedIOException {
            try {
                while (!closed && position == end && !ended) {
                    waits = true;
                    if (!pumping) {
                        pumping = true;
                        Thread.ofVirtual().name("shared-input").start(SharedInput.this::pump);
                    }
                    changed.await();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                InterruptedIOException interrupted = new InterruptedIOException("interrupted while reading");
                interrupted.initCause(e);
                throw interrupted;
            } finally {
                waits = false;
            }
        }

        private boolean wantsMore() {
            return waits && position == end;
        }

        private int missing() {
            long lost = begin - position;
            if (ends) {
                missed = lost;
                return -1;
            }
            RuntimeException told = gap.of(position, lost);
            missed += lost;
            position = begin;
            throw told;
        }

        private int theEnd() throws IOException {
            if (failure instanceof RuntimeException refused) {
                throw refused;
            }
            if (failure instanceof IOException broken) {
                throw new IOException(broken.getMessage(), broken);
            }
            return -1;
        }

        @Override
        public int available() throws IOException {
            lock.lock();
            try {
                return shared() ? (int) Math.max(0, end - Math.max(position, begin)) : source.available();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Ends this reader alone. Once {@link #first} is closed and no other is open, what the stream still brings is dropped: what
         * writes it then goes on.
         */
        @Override
        public void close() throws IOException {
            boolean drops;
            lock.lock();
            try {
                closed = true;
                open.remove(this);
                changed.signalAll();
                drops = first.closed && open.isEmpty();
            } finally {
                lock.unlock();
            }
            if (drops) {
                source.close();
            }
        }
    }
}
