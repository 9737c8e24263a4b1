package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameEncoder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Queues the frames that wait to be written to a guest. One thread writes, because an interrupt or deadline of a caller in
 * the middle of a write would close the channel or leave half a frame.
 */
public final class FrameOutbox {
    /** Beyond this, callers wait; one message of the largest size fits. */
    private static final int ROOM = FrameEncoder.MAX_MESSAGE + 2 * Frame.MAX_SIZE;
    /** Small frames do not wait. A guest that leaves as many unread does not read at all. */
    private static final int OVERFLOW = 2 * ROOM;

    private final WritableByteChannel channel;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>();
    private int bytes;
    private boolean finishing;
    private boolean closed;

    public FrameOutbox(WritableByteChannel channel) {
        this.channel = channel;
    }

    /** Writes until the outbox is closed or the channel fails; for the writing thread. */
    public void drain() throws IOException {
        try {
            while (true) {
                ByteBuffer next = take();
                if (next == null) {
                    return;
                }
                while (next.hasRemaining()) {
                    channel.write(next);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("the writing thread was interrupted", e);
        } finally {
            close();
        }
    }

    private @Nullable ByteBuffer take() throws InterruptedException {
        lock.lock();
        try {
            while (queue.isEmpty() && !closed && !finishing) {
                changed.await();
            }
            ByteBuffer next = closed ? null : queue.pollFirst();
            if (next != null) {
                bytes -= next.remaining();
                changed.signalAll();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues a frame without waiting; drops it if this outbox is closed.
     *
     * @return false if the guest has left too much unread
     */
    public boolean offer(ByteBuffer frame) {
        lock.lock();
        try {
            if (closed || finishing) {
                return true;
            }
            if (bytes > OVERFLOW) {
                return false;
            }
            add(frame);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Queues a frame that is wanted whenever there is room; see {@link #put(ByteBuffer, BooleanSupplier, Deadline)}. */
    public boolean put(ByteBuffer frame, Deadline deadline) throws InterruptedIOException {
        return put(frame, () -> true, deadline);
    }

    /**
     * Queues a frame when there is room, unless it is no longer wanted then.
     *
     * @return false if this outbox is closed
     * @throws VmException.Deadline if there is no room in time
     * @throws InterruptedIOException if the thread is interrupted
     */
    public boolean put(ByteBuffer frame, BooleanSupplier wanted, Deadline deadline) throws InterruptedIOException {
        lock.lock();
        try {
            while (!closed && !finishing && bytes > 0 && bytes + frame.remaining() > ROOM) {
                long left = deadline.remainingNanos();
                if (left <= 0) {
                    throw new VmException.Deadline("the guest does not read what it is sent");
                }
                var _ = changed.awaitNanos(left);
            }
            if (closed || finishing) {
                return false;
            }
            if (wanted.getAsBoolean()) {
                add(frame);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while sending to the guest");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more; {@link #drain} ends when everything is written. */
    public void finish() {
        lock.lock();
        try {
            finishing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void close() {
        lock.lock();
        try {
            closed = true;
            queue.clear();
            bytes = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void add(ByteBuffer frame) {
        queue.add(frame);
        bytes += frame.remaining();
        changed.signalAll();
    }
}
