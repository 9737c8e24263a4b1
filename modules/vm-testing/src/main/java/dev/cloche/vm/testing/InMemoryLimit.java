package dev.cloche.vm.testing;

import dev.cloche.vm.VmExit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** When an in-memory VM is ended, or halted: the timer of a guard. Safe for use from several threads. */
final class InMemoryLimit {
    private final AtomicLong latest = new AtomicLong();
    private volatile boolean halts;

    /** Has the guest be halted at its limit, in place of its end. */
    void halts() {
        halts = true;
    }

    /** From now on, in place of an earlier one. */
    void set(InMemoryGuest guest, Duration longest) {
        long mine = latest.incrementAndGet();
        CompletableFuture.delayedExecutor(longest.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> {
                    if (latest.get() == mine) {
                        reached(guest);
                    }
                });
        guest.pause().release();
    }

    private void reached(InMemoryGuest guest) {
        if (halts) {
            guest.pause().hold();
        } else {
            guest.die(VmExit.Cause.MAX_DURATION);
        }
    }
}
