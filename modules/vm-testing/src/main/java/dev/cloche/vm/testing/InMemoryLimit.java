package dev.cloche.vm.testing;

import dev.cloche.vm.VmExit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** When an in-memory VM is ended, or halted: the timer of a guard. Safe for use from several threads. */
final class InMemoryLimit {
    private final ReentrantLock lock = new ReentrantLock();
    private long latest;
    private boolean halts;

    /** Has the guest be halted at its limit, in place of its end. */
    void halts() {
        lock.lock();
        try {
            halts = true;
        } finally {
            lock.unlock();
        }
    }

    /** From now on, in place of an earlier one; a guest that was halted at that goes on. */
    void set(InMemoryGuest guest, Duration longest) {
        lock.lock();
        try {
            long mine = ++latest;
            guest.pause().release();
            CompletableFuture.delayedExecutor(longest.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> {
                        if (!isOver(guest, mine)) {
                            guest.die(VmExit.Cause.MAX_DURATION);
                        }
                    });
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether nothing is left to do at a limit: it was replaced, or the guest is halted at it. */
    private boolean isOver(InMemoryGuest guest, long limit) {
        lock.lock();
        try {
            boolean replaced = latest != limit;
            if (!replaced && halts) {
                guest.pause().hold();
            }
            return replaced || halts;
        } finally {
            lock.unlock();
        }
    }
}
