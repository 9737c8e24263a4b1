package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.linux.BootTime;
import dev.cloche.linux.FileSignal;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Suspends a sandbox shortly before its guard would halt or end it, on behalf of its owner. It has a timer for that, and the
 * kernel wakes it when a process has set another deadline.
 */
final class DeadlineWatch implements AutoCloseable {
    /** From the suspension to the guard's SIGKILL, for a host that is busy. */
    static final Duration LEAD = Duration.ofSeconds(5);

    /** Is what a suspension may take, for which the guard waits. */
    private static final Duration ALLOWANCE = Duration.ofMinutes(10);

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    /** Between attempts at one that its guard holds meanwhile, for example until the disk has room for its memory. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private final SandboxContext context;
    private final OwnerSuspension suspension;
    private final long id;
    private final String name;
    private final FileSignal changed;
    private final Thread thread;

    private DeadlineWatch(
            SandboxContext context, OwnerSuspension suspension, SandboxRecord record, FileSignal changed) {
        this.context = context;
        this.suspension = suspension;
        this.id = record.id();
        this.name = record.name();
        this.changed = changed;
        thread = Thread.ofVirtual().name("sandbox-deadline-" + name).unstarted(this::run);
    }

    /** Begins to watch a sandbox of this process; empty if it is not to be suspended. */
    static Optional<DeadlineWatch> start(SandboxContext context, OwnerSuspension suspension, SandboxRecord record) {
        if (!record.policies().isSuspendedAtDeadline()) {
            return Optional.empty();
        }
        SandboxDirectory directory = context.locks().directory(record);
        try {
            DeadlineWatch watch = new DeadlineWatch(context, suspension, record, FileSignal.listen(directory.path()));
            watch.thread.start();
            return Optional.of(watch);
        } catch (IOException unwatched) {
            warn(record.name(), unwatched);
            return Optional.empty();
        }
    }

    /** Returns how long before its deadline one is suspended that has this left when it is first looked at. */
    static Duration lead(Duration left) {
        Duration half = left.dividedBy(2);
        return half.compareTo(LEAD) < 0 ? half : LEAD;
    }

    private void run() {
        try {
            Optional<SandboxRecord> now = find();
            Optional<Duration> before = Optional.empty();
            Duration lead = LEAD;
            while (now.isPresent() && !changed.isClosed()) {
                Optional<Duration> until = now.flatMap(SandboxRecord::latestRun).flatMap(RunRecord::deadline);
                Optional<Duration> left = until.map(end -> end.minus(BootTime.now()));
                if (!until.equals(before)) {
                    before = until;
                    lead = left.map(DeadlineWatch::lead).orElse(LEAD);
                }
                Duration wait = left.isEmpty() ? Duration.ZERO : left.get().minus(lead);
                if (left.isPresent() && !wait.isPositive()) {
                    if (suspend(now.get(), left.get())) {
                        return;
                    }
                    wait = RETRY;
                }
                var _ = changed.await(left.isEmpty() ? Deadline.none() : Deadline.after(wait));
                now = find();
            }
        } catch (InterruptedException | VmException.Interrupted over) {
            // Its owner has let go of the sandbox, or has seen it end.
        } catch (RuntimeException failed) {
            warn(name, failed);
        }
    }

    /**
     * Suspends it. Its guard waits meanwhile; if this process dies, it holds the sandbox after that.
     *
     * @return false if that fails, and it goes on, to its deadline
     */
    private boolean suspend(SandboxRecord record, Duration left) {
        VmId vm = SandboxTerminator.vmOf(record);
        try {
            // Of one that it holds its guard waits in any case.
            boolean held = context.vms()
                    .hindrance(vm)
                    .filter(why -> why == VmHindrance.HELD)
                    .isPresent();
            if (!held) {
                context.vms().limit(vm, ALLOWANCE);
            }
            boolean suspended = suspension.suspend(record, true);
            if (!suspended && !held) {
                context.vms().limit(vm, left.compareTo(AT_ONCE) < 0 ? AT_ONCE : left);
            }
            return suspended;
        } catch (VmException.NotFound | VmException.WrongState over) {
            // It has ended, or its end was asked for.
            return true;
        }
    }

    /** Returns the record of one that runs and whose end was not asked for. */
    private Optional<SandboxRecord> find() {
        return context.store()
                .byId(id)
                .filter(now -> now.status() == SandboxStatus.RUNNING || now.status() == SandboxStatus.PAUSED)
                .filter(now -> CrashDetection.asked(now).isEmpty());
    }

    private static void warn(String name, Exception failure) {
        System.getLogger(DeadlineWatch.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        "sandbox " + name + " is not suspended at its deadline, but halted or ended by its guard",
                        failure);
    }

    @Override
    public void close() {
        changed.close();
    }
}
