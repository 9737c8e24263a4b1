package dev.cloche.sandbox.reconcile;

import dev.cloche.base.ClocheException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.directory.EndPlan;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxDrain;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.record.SweepRow;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Goes on with ends of sandboxes whose processes died or gave up, each on a thread of its own: what is left of a drain
 * may take hours, and sweeps take milliseconds. Closing it leaves what is not over to a later sweep, of any process.
 */
public final class UnfinishedTerminations implements AutoCloseable {
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    /** For a stop to find out that a guest does not answer. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
    private static final System.Logger LOG = System.getLogger(UnfinishedTerminations.class.getName());

    private final SandboxContext context;
    private final SandboxTerminator terminator;
    /** By the id of the sandbox. */
    private final Map<Long, Thread> threads = new ConcurrentHashMap<>();

    private volatile boolean closed;

    public UnfinishedTerminations(SandboxContext context, SandboxTerminator terminator) {
        this.context = context;
        this.terminator = terminator;
    }

    /**
     * Takes the end of a sandbox in hand, and returns at once. Where commands are not waited for any more its guard has a limit
     * when this returns, so that it ends also if this process does right after.
     */
    void goOn(SweepRow row) {
        context.store()
                .byId(row.id())
                .filter(record -> record.status() == SandboxStatus.DRAINING)
                .ifPresent(this::goOn);
    }

    private void goOn(SandboxRecord record) {
        EndPlan plan = EndHold.plan(context.locks().directory(record));
        if (plan.finish().passed()) {
            announce(record, plan.graceLeft(System.nanoTime()));
        }
        Thread thread = Thread.ofVirtual().name("sandbox-end-" + record.name()).unstarted(() -> run(record, plan));
        if (!closed && threads.putIfAbsent(record.id(), thread) == null) {
            thread.start();
        }
    }

    private void announce(SandboxRecord record, Duration grace) {
        try {
            context.vms().endWithin(SandboxTerminator.vmOf(record), grace.isZero() ? AT_ONCE : grace.plus(SLACK));
        } catch (ClocheException full) {
            LOG.log(Level.DEBUG, "the guard of sandbox " + record.name() + " has no limit", full);
        }
    }

    private void run(SandboxRecord record, EndPlan plan) {
        try {
            new SandboxDrain(context, terminator).goOn(record, plan);
        } catch (InterruptedException closing) {
            // A later sweep goes on.
        } catch (RuntimeException failed) {
            LOG.log(
                    closed || failed instanceof ClocheException ? Level.DEBUG : Level.WARNING,
                    "sandbox " + record.name() + " has not ended, and is tried again",
                    failed);
        } finally {
            threads.remove(record.id());
        }
    }

    @Override
    public void close() {
        closed = true;
        threads.values().forEach(Thread::interrupt);
        try {
            for (Thread thread : threads.values()) {
                thread.join(CLOSE_LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
