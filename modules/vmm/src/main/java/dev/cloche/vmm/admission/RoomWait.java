package dev.cloche.vmm.admission;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.linux.SystemCallException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the end of any of those that have what is wanted: guards, by their pidfds, and those that wait before this one, by
 * the locks of their tickets. For one wait.
 */
final class RoomWait implements AutoCloseable {
    /**
     * What no process ends for is seen by then: a starter that was killed before it had a guard, an entry that was put on its
     * shelf, other limits, less pressure.
     */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Semaphore signals = new Semaphore(0);
    private final List<PinnedProcess> guards = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    RoomWait(Collection<Holder> holders, Collection<Tickets.Waiting> ahead) {
        holders.forEach(holder -> holder.guard().ifPresent(guard -> {
            try {
                Optional<PinnedProcess> pinned = PinnedProcess.open(guard);
                pinned.ifPresentOrElse(
                        living -> {
                            guards.add(living);
                            var _ = living.onEnd().thenRun(signals::release);
                        },
                        signals::release);
            } catch (SystemCallException unseen) {
                // Of another user, or there are too many: the next look sees it.
                System.getLogger(RoomWait.class.getName())
                        .log(System.Logger.Level.DEBUG, "a guard is not watched", unseen);
            }
        }));
        ahead.forEach(other ->
                threads.add(Thread.ofVirtual().name("ticket-" + other.number()).start(() -> {
                    try {
                        LockFile.awaitFree(other.file(), Deadline.none());
                        signals.release();
                    } catch (InterruptedException over) {
                        Thread.currentThread().interrupt();
                    } catch (SystemCallException unseen) {
                        signals.release();
                    }
                })));
    }

    /** Waits for the first end, or the deadline, or until it is time to look again. */
    void await(Deadline deadline) throws InterruptedException {
        var _ = signals.tryAcquire(deadline.orAfter(LOOK_EVERY).remainingNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        guards.forEach(PinnedProcess::close);
        threads.forEach(Thread::interrupt);
    }
}
