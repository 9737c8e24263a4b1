package dev.cloche.execution;

import dev.cloche.sandbox.SandboxEvents;
import dev.cloche.sandbox.SandboxManager;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for changes of sandboxes, on behalf of any number of threads: the kernel gives a user few watches, so all share one,
 * which is there as long as any thread waits. Thread-safe.
 *
 * <p>A caller that begins, then looks, and waits last misses nothing.
 */
final class SandboxChanges {
    /** A sandbox that changes says so; this is for what gets lost on the way. */
    private static final Duration LOOK_ANYWAY = Duration.ofMinutes(1);

    private final SandboxManager sandboxes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Waiter> waiters = new HashSet<>();
    private Optional<SandboxEvents.Stream> events = Optional.empty();

    SandboxChanges(SandboxManager sandboxes) {
        this.sandboxes = sandboxes;
    }

    /** Waits for changes of one sandbox, for one thread. */
    final class Waiter implements AutoCloseable {
        private final long sandbox;
        private final Semaphore bell = new Semaphore(0);

        private Waiter(long sandbox) {
            this.sandbox = sandbox;
        }

        /** Waits until the sandbox has changed since the last call, or a minute has passed. */
        void await() throws InterruptedException {
            var _ = bell.tryAcquire(LOOK_ANYWAY.toNanos(), TimeUnit.NANOSECONDS);
            bell.drainPermits();
        }

        @Override
        public void close() {
            leave(this);
        }
    }

    /** @throws dev.cloche.sandbox.SandboxException if sandboxes cannot be watched */
    Waiter of(long sandbox) {
        Waiter waiter = new Waiter(sandbox);
        lock.lock();
        try {
            if (events.isEmpty()) {
                SandboxEvents.Stream stream = sandboxes.events().from(Optional.empty());
                events = Optional.of(stream);
                Thread.ofVirtual().name("executions-sandboxes").start(() -> hear(stream));
            }
            waiters.add(waiter);
        } finally {
            lock.unlock();
        }
        return waiter;
    }

    private void leave(Waiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter);
            if (waiters.isEmpty()) {
                events.ifPresent(SandboxEvents.Stream::close);
                events = Optional.empty();
            }
        } finally {
            lock.unlock();
        }
    }

    private void hear(SandboxEvents.Stream stream) {
        try {
            while (true) {
                ring(Optional.of(stream.next().sandboxId()));
            }
        } catch (InterruptedException closed) {
            // No thread waits any more.
        } catch (RuntimeException e) {
            System.getLogger(SandboxChanges.class.getName())
                    .log(Level.WARNING, "changes of sandboxes are not heard at the moment: {0}", e.getMessage());
            ring(Optional.empty());
        }
    }

    /** @param changed empty for any */
    private void ring(Optional<Long> changed) {
        lock.lock();
        try {
            for (Waiter waiter : waiters) {
                if (changed.isEmpty() || changed.get() == waiter.sandbox) {
                    waiter.bell.release();
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
