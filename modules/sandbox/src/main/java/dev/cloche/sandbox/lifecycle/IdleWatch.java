package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends or suspends a sandbox that was not used for as long as its idle timeout says, on behalf of its owner. It has a timer for
 * when that may be so, and while the sandbox is in use the kernel wakes it when it no longer is.
 */
final class IdleWatch implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Set<SandboxStatus> CAN_BE_IDLE = EnumSet.of(SandboxStatus.RUNNING, SandboxStatus.PAUSED);

    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final OwnerSuspension suspension;
    private final SandboxRecord record;
    private final Duration timeout;
    private final Thread thread;
    private final CountDownLatch closing = new CountDownLatch(1);

    private IdleWatch(
            SandboxContext context,
            SandboxTerminator terminator,
            OwnerSuspension suspension,
            SandboxRecord record,
            Duration timeout) {
        this.context = context;
        this.terminator = terminator;
        this.suspension = suspension;
        this.record = record;
        this.timeout = timeout;
        thread = Thread.ofVirtual().name("sandbox-idle-" + record.name()).unstarted(this::run);
    }

    /** Begins to watch a sandbox of this process; empty if it has no idle timeout. */
    static Optional<IdleWatch> start(
            SandboxContext context, SandboxTerminator terminator, OwnerSuspension suspension, SandboxRecord record) {
        Optional<IdleWatch> watch = record.policies()
                .idleTimeout()
                .map(timeout -> new IdleWatch(context, terminator, suspension, record, timeout));
        watch.ifPresent(idle -> idle.thread.start());
        return watch;
    }

    private void run() {
        SandboxDirectory directory = context.locks().directory(record);
        try {
            Optional<Duration> unused = sinceUsed(directory);
            while (unused.isPresent()) {
                Duration left = timeout.minus(unused.get());
                if (left.isPositive()) {
                    if (closing.await(left.toNanos(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                } else if (ended(directory)) {
                    return;
                }
                unused = sinceUsed(directory);
            }
        } catch (InterruptedException | VmException.Interrupted over) {
            // Its owner has let go of the sandbox, or has seen it end.
        } catch (RuntimeException failed) {
            System.getLogger(IdleWatch.class.getName())
                    .log(System.Logger.Level.WARNING, "sandbox " + record.name() + " is idle and goes on", failed);
        }
    }

    /** Returns how long ago it was used by commands and copies, or by its published ports; empty if it is gone. */
    private Optional<Duration> sinceUsed(SandboxDirectory directory) {
        Optional<Duration> ports = context.vms().sincePortsUsed(SandboxTerminator.vmOf(record));
        return SandboxUse.sinceUsed(directory)
                .map(used -> ports.filter(since -> since.compareTo(used) < 0).orElse(used));
    }

    /** Ends or suspends the sandbox; false if it has been used meanwhile. */
    private boolean ended(SandboxDirectory directory) throws InterruptedException {
        Optional<LockFile> unused = SandboxUse.awaitUnused(directory, Deadline.none());
        if (unused.isEmpty()) {
            return false;
        }
        if (record.policies().isSuspendedAtDeadline()) {
            return suspended(directory, unused.get());
        }
        try (EndHold _ = EndHold.take(directory)) {
            return ended(directory, unused.get());
        }
    }

    private boolean isIdle(SandboxDirectory directory) {
        return sinceUsed(directory)
                .filter(since -> since.compareTo(timeout) >= 0)
                .isPresent();
    }

    private boolean suspended(SandboxDirectory directory, LockFile unused) {
        // No use begins while this is held.
        try (unused) {
            if (!isIdle(directory)) {
                return false;
            }
            Optional<SandboxRecord> now =
                    context.store().byId(record.id()).filter(found -> CAN_BE_IDLE.contains(found.status()));
            if (now.isEmpty() || suspension.suspend(now.get(), false)) {
                return true;
            }
            // It goes on, and is tried again when it has been idle for as long.
            SandboxUse.touch(directory);
            return false;
        }
    }

    private boolean ended(SandboxDirectory directory, LockFile unused) {
        // No use begins while this is held, and none after it once the refusal is there.
        try (unused) {
            if (!isIdle(directory)) {
                return false;
            }
            if (!context.store().ask(record.id(), TerminationReason.IDLE_TIMEOUT, CAN_BE_IDLE)) {
                return true;
            }
            // Recorded before, so that what counts as running never refuses, should this process die in between.
            SandboxUse.refuse(directory);
        }
        context.store()
                .byId(record.id())
                .ifPresent(now -> terminator.end(now, TerminationReason.IDLE_TIMEOUT, GRACE, Deadline.none()));
        return true;
    }

    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
    }
}
