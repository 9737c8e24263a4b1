package dev.cloche.vm.testing;

import dev.cloche.base.Deadline;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.OutputLogEntry;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The output log of an in-memory VM. Safe for use from several threads. */
final class InMemoryLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private final long capacity;
    private long size;
    private long count;
    private boolean ended;

    private record Piece(long number, boolean error, Instant time, long offset, ByteBuffer bytes) {}

    /** @param capacity in bytes; 0 keeps nothing */
    InMemoryLog(long capacity) {
        this.capacity = capacity;
    }

    /** What is written to {@code target} is also kept here. */
    OutputStream tee(OutputStream target, boolean error) {
        return new FilterOutputStream(target) {
            private long offset;

            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                keep(
                        error,
                        offset,
                        ByteBuffer.allocate(length).put(bytes, from, length).flip());
                offset += length;
                out.write(bytes, from, length);
            }
        };
    }

    private void keep(boolean error, long offset, ByteBuffer bytes) {
        lock.lock();
        try {
            if (!bytes.hasRemaining()) {
                return;
            }
            pieces.addLast(new Piece(count++, error, Instant.now(), offset, bytes));
            size += bytes.remaining();
            while (size > capacity) {
                size -= pieces.removeFirst().bytes().remaining();
            }
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The VM has ended. */
    void end() {
        lock.lock();
        try {
            ended = true;
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    OutputLog open() {
        return new Reader();
    }

    private final class Reader implements OutputLog {
        private final long[] expected = new long[2];
        private long following;

        @Override
        public Optional<OutputLogEntry> next() {
            lock.lock();
            try {
                return pieces.stream()
                        .filter(piece -> piece.number() >= following)
                        .findFirst()
                        .map(this::entry);
            } finally {
                lock.unlock();
            }
        }

        private OutputLogEntry entry(Piece piece) {
            int channel = piece.error() ? 1 : 0;
            long missing = piece.offset() - expected[channel];
            expected[channel] = piece.offset() + piece.bytes().remaining();
            following = piece.number() + 1;
            return new OutputLogEntry(
                    piece.error(), piece.time(), missing, piece.bytes().asReadOnlyBuffer());
        }

        @Override
        public Optional<OutputLogEntry> await(Deadline deadline) {
            lock.lock();
            try {
                while (true) {
                    Optional<OutputLogEntry> entry = next();
                    if (entry.isPresent() || ended) {
                        return entry;
                    }
                    if (deadline.passed()) {
                        throw new VmException.Deadline("the output of a VM");
                    }
                    var _ = grown.await(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                }
            } catch (InterruptedException e) {
                throw VmWaits.interrupted("the output of a VM");
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            following = Long.MAX_VALUE;
        }
    }
}
