package dev.cloche.vm.testing;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/** Where a program of an in-memory guest writes to: it waits as long as its execution has no room. */
final class InMemoryPipe extends OutputStream {
    private final ReentrantLock lock;
    private final Condition changed;
    private final RetainedOutput retained;
    private final IntSupplier room;

    /**
     * @param lock of the execution
     * @param changed signalled when the room may have changed, by either side
     * @param room asked under the lock
     */
    InMemoryPipe(ReentrantLock lock, Condition changed, RetainedOutput retained, IntSupplier room) {
        this.lock = lock;
        this.changed = changed;
        this.retained = retained;
        this.room = room;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int at = offset;
        while (at < offset + length) {
            at += writeSome(bytes, at, offset + length - at);
        }
    }

    private int writeSome(byte[] bytes, int offset, int length) throws InterruptedIOException {
        lock.lock();
        try {
            if (Thread.interrupted()) {
                throw new InterruptedIOException("killed");
            }
            while (room.getAsInt() == 0) {
                changed.await();
            }
            int count = Math.min(length, room.getAsInt());
            retained.append(bytes, offset, count);
            changed.signalAll();
            return count;
        } catch (InterruptedException e) {
            throw (InterruptedIOException) new InterruptedIOException("killed").initCause(e);
        } finally {
            lock.unlock();
        }
    }
}
