package dev.cloche.vm.testing;

import dev.cloche.vm.VmExit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** When an in-memory VM is ended: the timer of a guard. Safe for use from several threads. */
final class InMemoryLimit {
    private final AtomicLong latest = new AtomicLong();

    /** From now on, in place of an earlier one. */
    void set(InMemoryGuest guest, Duration longest) {
        long mine = latest.incrementAndGet();
        CompletableFuture.delayedExecutor(longest.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> {
                    if (latest.get() == mine) {
                        guest.die(VmExit.Cause.MAX_DURATION);
                    }
                });
    }
}
